#include "catena/examples/pos/tagged_sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ParseTaggedSentenceTest, TakesTheTagAfterTheLastSlash) {
  const TaggedSentence sentence =
      parse_tagged_sentence("\t The/at 1/2/cd  A/B/C/nn-tl //punct ./. \r");
  EXPECT_THAT(sentence.words, ElementsAre("The", "1/2", "A/B/C", "/", "."));
  EXPECT_THAT(sentence.tags, ElementsAre("at", "cd", "nn-tl", "punct", "."));
  EXPECT_THAT(parse_tagged_sentence(" \t ").words, IsEmpty());
  EXPECT_THAT(parse_tagged_sentence("").tags, IsEmpty());
}

TEST(ParseTaggedSentenceTest, SaysWhereATagIsMissing) {
  const auto expect_error = [](const std::string& line,
                               const std::string& message) {
    EXPECT_THAT(error_of<ValueError>([&] { parse_tagged_sentence(line); }),
                message)
        << line;
  };
  expect_error("the", "column 1: expected word/tag, got 'the'");
  expect_error("the/at can nn/nn", "column 8: expected word/tag, got 'can'");
  expect_error("the/at can/", "column 8: expected word/tag, got 'can/'");
  expect_error("/at", "column 1: expected word/tag, got '/at'");
  expect_error("/", "column 1: expected word/tag, got '/'");
}

class ReadTaggedSentencesTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    write_file(folder_.file(name), text);
    return folder_.file(name);
  }

  TempFolder folder_;
};

TEST_F(ReadTaggedSentencesTest, OnePerLine) {
  const auto sentences =
      read_tagged_sentences(write("a", "\n\n\tthe/at can/nn\r\n\n\tgo/vb"));
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_THAT(sentences[0].words, ElementsAre("the", "can"));
  EXPECT_THAT(sentences[1].tags, ElementsAre("vb"));
}

TEST_F(ReadTaggedSentencesTest, TakesTheFolderOfTheBrownCorpus) {
  const std::string brown = folder_.file("brown");
  std::filesystem::create_directory(brown);
  EXPECT_THAT(error_of<IoError>([&] { read_tagged_sentences(brown); }),
              HasSubstr("expected files ca01 to cr09 of the Brown corpus "
                        "in '" +
                        brown + "', found none; they are in https://"));
  write("brown/cr09", "third/od\n");
  write("brown/cb01", "second/od\n");
  write("brown/ca44", "first/od\n");
  for (const std::string other : {"README", "cs01", "ca1", "cats", "da01"}) {
    write("brown/" + other, "no tags");
  }
  const auto sentences = read_tagged_sentences(brown);
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_THAT(sentences[0].words, ElementsAre("first"));
  EXPECT_THAT(sentences[1].words, ElementsAre("second"));
  EXPECT_THAT(sentences[2].words, ElementsAre("third"));
}

TEST_F(ReadTaggedSentencesTest, NamesFileAndLine) {
  const std::string file = write("a", "the/at\n\nthe/at can\n");
  EXPECT_THAT(error_of<IoError>([&] { read_tagged_sentences(file); }),
              "read_tagged_sentences: '" + file +
                  "': line 3, column 8: expected word/tag, "
                  "got 'can'");
  EXPECT_THAT(
      error_of<IoError>([&] { read_tagged_sentences(write("empty", "\n")); }),
      HasSubstr("empty', found none"));
  EXPECT_THAT(
      error_of<IoError>([&] { read_tagged_sentences(folder_.file("none")); }),
      AllOf(HasSubstr("found no '" + folder_.file("none") + "'"),
            HasSubstr("the corpus is in https://raw.githubusercontent.com")));
}

}  // namespace
}  // namespace catena::examples
