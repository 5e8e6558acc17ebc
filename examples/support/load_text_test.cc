#include "catena/examples/support/load_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LoadTextTest, PtbIsReadFromAFolder) {
  const testing::TempFolder folder;
  testing::write_file(folder.file("ptb.train.txt"), " the cat \n the dog \n");
  testing::write_file(folder.file("ptb.valid.txt"), " dog \n");
  testing::write_file(folder.file("ptb.test.txt"), " cat dog \n");
  const Text text = load_text("ptb", folder.file(""));
  EXPECT_THAT(text.words, ElementsAre("the", "cat", "<eos>", "dog"));
  EXPECT_THAT(text.ids.train.to_vector<int32_t>(),
              ElementsAre(0, 1, 2, 0, 3, 2));
  EXPECT_THAT(text.ids.valid.to_vector<int32_t>(), ElementsAre(3, 2));
  EXPECT_THAT(text.ids.test.to_vector<int32_t>(), ElementsAre(1, 3, 2));
}

TEST(LoadTextTest, ShakespeareShipsWithCatena) {
  const Text text = load_text("shakespeare", "");
  EXPECT_EQ(text.ids.train.size(), 247931);
  EXPECT_EQ(std::ssize(text.words), 4842);
  EXPECT_EQ(std::count(text.words.begin(), text.words.end(), "ROMEO:"), 1);
  EXPECT_EQ(std::count(text.words.begin(), text.words.end(), ""), 0);
}

TEST(LoadTextTest, QuickTestsHaveTheFirstWords) {
  const Text text = load_text("shakespeare", "");
  const Text first = first_words(text);
  EXPECT_EQ(first.ids.train.size(), 100);
  EXPECT_EQ(first.ids.valid.size(), 100);
  EXPECT_EQ(first.ids.test.size(), 100);
  EXPECT_EQ(first.ids.train[99].item<int32_t>(),
            text.ids.train[99].item<int32_t>());
  EXPECT_EQ(first.words, text.words);
}

TEST(LoadTextTest, RejectsWhatItDoesNotHave) {
  EXPECT_THAT(error_of<ValueError>([] { load_text("cats", ""); }),
              HasSubstr("--dataset: expected shakespeare or ptb, got 'cats'"));
  EXPECT_THAT(error_of<ValueError>([] { load_text("shakespeare", "folder"); }),
              HasSubstr("--data_dir is for --dataset=ptb"));
}

}  // namespace
}  // namespace catena::examples
