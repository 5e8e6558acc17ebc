#include "catena/examples/seq2seq/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_file;
using testing::TempFolder;
using testing::write_file;

TEST(SplitSentenceTest, PunctuationMarksAreWords) {
  EXPECT_THAT(split_sentence("He said: \"It's (25.7) miles!\""),
              ElementsAre("He", "said", ":", "\"", "It", "'", "s", "(", "25",
                          ".", "7", ")", "miles", "!", "\""));
  EXPECT_THAT(split_sentence("well-known; a/b?"),
              ElementsAre("well-known", ";", "a/b", "?"));
  EXPECT_THAT(split_sentence("..."), ElementsAre(".", ".", "."));
}

TEST(SplitSentenceTest, WhiteSpaceOfUnicodeSeparatesWords) {
  EXPECT_THAT(split_sentence(" a\tb\u00a0!\u3000\u00e9t\u00e9\u202f? \r"),
              ElementsAre("a", "b", "!", "\u00e9t\u00e9", "?"));
  EXPECT_THAT(split_sentence("\u2014 \u2009\u4e2d"),
              ElementsAre("\u2014", "\u4e2d"));
  EXPECT_THAT(split_sentence(" \u00a0"), IsEmpty());
  EXPECT_THAT(split_sentence(""), IsEmpty());
}

TEST(SplitSentenceTest, DamagedTextIsKept) {
  EXPECT_THAT(split_sentence("a\xe2\x80 \xc2"),
              ElementsAre("a\xe2\x80", "\xc2"));
}

TEST(HideDigitsTest, DigitsBecomeZero) {
  EXPECT_EQ(hide_digits("$19.99 in 1998"), "$00.00 in 0000");
}

TEST(ToLowerTest, KnowsLettersOfWesternEurope) {
  EXPECT_EQ(to_lower("AZ[\u00c0\u00d6\u00d8\u00deE\u00df"),
            "az[\u00e0\u00f6\u00f8\u00fee\u00df");
  EXPECT_EQ(to_lower("2\u00d73, \u00f7 \u0100"), "2\u00d73, \u00f7 \u0100");
}

TEST(ForEachLineTest, ReportsHowManyLinesThereWere) {
  const TempFolder folder;
  write_lines(folder.file("text"), {"one", "", "three"});
  EXPECT_EQ(read_file(folder.file("text")), "one\n\nthree\n");
  std::vector<std::string> lines;
  ::testing::internal::CaptureStderr();
  for_each_line(folder.file("text"),
                [&](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "text: 3 lines\n");
  EXPECT_THAT(lines, ElementsAre("one", "", "three"));
  EXPECT_THAT(
      error_of<IoError>([&] { for_each_line(folder.file("none"), {}); }),
      HasSubstr(folder.file("none")));
  EXPECT_THAT(
      error_of<IoError>([&] { write_lines(folder.file("no/text"), {}); }),
      HasSubstr("cannot write"));
}

TEST(ForEachLineTest, ReportsEveryMillionLines) {
  const TempFolder folder;
  write_file(folder.file("long"), std::string(1'000'001, '\n'));
  ::testing::internal::CaptureStderr();
  int64_t count = 0;
  for_each_line(folder.file("long"), [&](const std::string&) { ++count; });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "long: 1000000 lines ...\nlong: 1000001 lines\n");
  EXPECT_EQ(count, 1'000'001);
}

TEST(VocabularyTest, WordsBecomeIdsAndBack) {
  const TempFolder folder;
  write_lines(folder.file("vocabulary"), {"the", "cat", "sat"});
  const Vocabulary ids = load_vocabulary(folder.file("vocabulary"));
  const std::vector<std::string> words = words_of(ids);
  EXPECT_THAT(words, ElementsAre("<UNK>", "<EOS>", "the", "cat", "sat"));
  const Sentence sentence = to_ids(" the dog sat ", ids);
  EXPECT_THAT(sentence, ElementsAre(2, kUnknown, 4));
  EXPECT_EQ(to_text(sentence, words), "the <UNK> sat");
}

}  // namespace
}  // namespace catena::examples
