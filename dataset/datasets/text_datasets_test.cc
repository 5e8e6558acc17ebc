#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/dataset/datasets/ptb.h"
#include "catena/dataset/datasets/shakespeare.h"
#include "catena/dataset/datasets/text_dataset.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using array::array;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::Pair;
using ::testing::StartsWith;

class FilesTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    testing::write_file(folder.file(name), text);
    return folder.file(name);
  }
  testing::TempFolder folder;
};

using TextDatasetTest = FilesTest;

TEST_F(TextDatasetTest, GivesTheLinesOfAFile) {
  const TextDataset text({write("a", "one\n\ntwo\r\nthree")});
  ASSERT_EQ(text.size(), 4);
  EXPECT_THAT(text.lines(0), ElementsAre("one"));
  EXPECT_THAT(text.lines(1), ElementsAre(""));
  EXPECT_THAT(text.lines(2), ElementsAre("two"));
  EXPECT_THAT(text.lines(3), ElementsAre("three"));
  EXPECT_THAT(text[0][0], IsArray(array({'o', 'n', 'e'}, Dtype::kUInt8)));
  EXPECT_EQ(text[1][0].shape(), Shape{0});
  EXPECT_THAT(error_of<IndexError>([&] { text.lines(4); }),
              HasSubstr("into 4 examples, got 4"));
  EXPECT_EQ(TextDataset({write("empty", "")}).size(), 0);
}

TEST_F(TextDatasetTest, LongFilesComeInPieces) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "line " + std::to_string(i) + "\r\n";
  const TextDataset lines({write("a", text)});
  ASSERT_EQ(lines.size(), 30'000);
  for (const int64_t i : {0, 20'000, 23'831, 23'832, 29'999}) {
    EXPECT_THAT(lines.lines(i), ElementsAre("line " + std::to_string(i)));
  }
}

TEST_F(TextDatasetTest, PutsLinesOfSeveralFilesSideBySide) {
  const std::string english = write("en", "dog\ncat\n");
  const std::string german = write("de", "Hund\nKatze\n");
  const TextDataset pairs({english, german});
  ASSERT_EQ(pairs.size(), 2);
  EXPECT_THAT(pairs.lines(1), ElementsAre("cat", "Katze"));
  EXPECT_EQ(pairs[1].size(), 2);
  const std::string longer = write("fr", "chien\nchat\noiseau\n");
  EXPECT_THAT(error_of<IoError>([&] {
                TextDataset({english, longer});
              }),
              AllOf(HasSubstr(longer + "': expected 2 lines, as '" + english +
                              "' has, got 3")));
}

TEST_F(TextDatasetTest, AFilterSaysWhichLinesAreTaken) {
  const std::string left = write("l", "a\nbb\nc\n");
  const std::string right = write("r", "1\n2\n\n");
  const TextDataset text({left, right},
                         {.filter = [](std::span<const std::string> lines) {
                           return lines[0].size() == 1 && !lines[1].empty();
                         }});
  ASSERT_EQ(text.size(), 1);
  EXPECT_THAT(text.lines(0), ElementsAre("a", "1"));
}

TEST_F(TextDatasetTest, RejectsNoFilesAndMissingOnes) {
  EXPECT_THAT(
      error_of<ValueError>([] { TextDataset(std::vector<std::string>{}); }),
      HasSubstr("at least one file"));
  EXPECT_THROW(TextDataset({folder.file("missing")}), IoError);
}

class PtbTest : public FilesTest {
 protected:
  PtbTest() {
    write("ptb.train.txt", " the cat sat \n the dog <unk> \n\n");
    write("ptb.valid.txt", "dog the\n");
    write("ptb.test.txt", "cat\n");
  }
  GetPtbOptions options() const { return {.data_dir = folder.path()}; }
};

TEST_F(PtbTest, NumbersWordsByTheirFirstAppearance) {
  EXPECT_THAT(get_ptb_words_vocabulary(options()),
              ElementsAre(Pair("<eos>", 3), Pair("<unk>", 5), Pair("cat", 1),
                          Pair("dog", 4), Pair("sat", 2), Pair("the", 0)));
  const WordSets words = get_ptb_words(options());
  EXPECT_THAT(words.train,
              IsArray(array({0, 1, 2, 3, 0, 4, 5, 3, 3}, Dtype::kInt32)));
  EXPECT_THAT(words.valid, IsArray(array({4, 0, 3}, Dtype::kInt32)));
  EXPECT_THAT(words.test, IsArray(array({1, 3}, Dtype::kInt32)));
}

TEST_F(PtbTest, WordsThatAreNotInTheVocabularyAreAnError) {
  write("ptb.test.txt", "cat\ncat bird\n");
  EXPECT_THAT(error_of<IoError>([&] { get_ptb_words(options()); }),
              AllOf(HasSubstr("ptb.test.txt"),
                    HasSubstr("line 2: expected words of ptb.train.txt, got "
                              "'bird'")));
}

TEST_F(PtbTest, NamesTheFileThatIsMissing) {
  const GetPtbOptions nowhere = {.data_dir = folder.file("nowhere")};
  EXPECT_THAT(
      error_of<IoError>([&] { get_ptb_words_vocabulary(nowhere); }),
      HasSubstr("get_ptb_words_vocabulary: expected 'ptb.train.txt' in '"));
}

TEST_F(PtbTest, KeepsTheLimits) {
  GetPtbOptions small = options();
  small.limits.array_bytes = 8 * sizeof(int32_t);
  EXPECT_THAT(error_of<IoError>([&] { get_ptb_words(small); }),
              HasSubstr("at most 32 bytes"));
  small.limits.array_bytes = 9 * sizeof(int32_t);
  EXPECT_NO_THROW(get_ptb_words(small));
}

TEST_F(FilesTest, ReadsWordsOfAnyFile) {
  const auto expected = ElementsAre("a", "b", "<eos>", "<eos>", "c", "<eos>");
  EXPECT_THAT(read_words(write("text", "a \t b\r\n\nc")), expected);
  EXPECT_THAT(read_words(write("text", testing::gzip("a b\n\nc\n"))), expected);
}

TEST(ShakespeareTest, SpeechesHaveASpeakerAndLines) {
  const std::vector<Speech> speeches = get_shakespeare_speeches();
  ASSERT_EQ(speeches.size(), 7097);
  EXPECT_EQ(speeches[0].speaker, "First Citizen");
  EXPECT_EQ(speeches[0].text, "Before we proceed any further, hear me speak.");
  EXPECT_EQ(speeches[5].text, "We know't, we know't.");
  EXPECT_THAT(speeches[9].text, HasSubstr("if they\nwould yield us but"));
}

TEST(ShakespeareTest, TheTextHasEveryCharacter) {
  const std::string text = get_shakespeare_text();
  EXPECT_EQ(text.size(), 1115394);
  EXPECT_EQ(std::set<char>(text.begin(), text.end()).size(), 65);
  EXPECT_THAT(text, StartsWith("First Citizen:\nBefore we proceed any further, "
                               "hear me speak.\n\nAll:\nSpeak, speak.\n"));
  EXPECT_THAT(text, EndsWith("Whiles thou art waking.\n"));
}

TEST(ShakespeareTest, WordsAreIdsOfTheTrainingVocabulary) {
  const Vocabulary vocabulary = get_shakespeare_words_vocabulary();
  const WordSets words = get_shakespeare_words();
  EXPECT_EQ(vocabulary.size(), 4842);
  EXPECT_EQ(vocabulary.at("First Citizen:"), 0);
  EXPECT_EQ(vocabulary.at("<eos>"), 1);
  EXPECT_EQ(vocabulary.at("before"), 2);
  EXPECT_EQ(words.train.shape(), Shape{247931});
  EXPECT_EQ(words.valid.shape(), Shape{14472});
  EXPECT_EQ(words.test.shape(), Shape{13888});
  EXPECT_THAT(Array(words.train[{Slice(3)}]).to_vector<int32_t>(),
              ElementsAre(0, 1, 2));
  EXPECT_LT(words.test.max().item<int32_t>(), 4842);
}

TEST(ShakespeareTest, RareWordsAreUnknown) {
  const Vocabulary all = get_shakespeare_words_vocabulary({.min_count = 1});
  const Vocabulary vocabulary = get_shakespeare_words_vocabulary();
  EXPECT_EQ(all.size(), 12131);
  EXPECT_TRUE(all.contains("accounted"));
  EXPECT_FALSE(vocabulary.contains("accounted"));
  EXPECT_TRUE(vocabulary.contains("<unk>"));
  EXPECT_THAT(
      error_of<ValueError>([] { get_shakespeare_words({.min_count = 0}); }),
      "get_shakespeare_words: expected min_count >= 1, got 0");
}

TEST(ShakespeareTest, PunctuationMarksAreWords) {
  EXPECT_THAT(
      split_words("We know't, 'tis\nHELP-ful. "),
      ElementsAre("we", "know't", ",", "'", "tis", "help", "-", "ful", "."));
  EXPECT_THAT(split_words("o' "), ElementsAre("o", "'"));
  EXPECT_THAT(split_words(""), ElementsAre());
}

}  // namespace
}  // namespace catena::datasets
