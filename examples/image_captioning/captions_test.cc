#include "catena/examples/image_captioning/captions.h"

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

TEST(SplitWordsTest, DropsPunctuationAndCase) {
  EXPECT_THAT(split_words("A man's dog, on (two) skate-boards. "),
              ElementsAre("a", "man's", "dog", "on", "two", "skate", "boards"));
  EXPECT_THAT(split_words("caf\xc3\xa9"), ElementsAre("caf\xc3\xa9"));
  EXPECT_THAT(split_words(" . "), ::testing::IsEmpty());
}

TEST(VocabularyTest, KeepsFrequentWords) {
  const Vocabulary words({"A dog.", "a cat", "the dog"}, 2);
  EXPECT_THAT(words.words(), ElementsAre("<end>", "<unknown>", "a", "dog"));
  EXPECT_EQ(words.size(), 4);
  EXPECT_THAT(words.encode("A cat, a dog"), ElementsAre(2, 1, 2, 3));
  EXPECT_EQ(words.decode({2, 1, 2, 3}), "a <unknown> a dog");
  EXPECT_EQ(words.decode({}), "");
}

TEST(VocabularyTest, ComesBackFromItsWords) {
  const Vocabulary words({"one two three"}, 1);
  const Vocabulary same(words.words());
  EXPECT_EQ(same.encode("three two four"), words.encode("three two four"));
}

class ReadMscocoTest : public ::testing::Test {
 protected:
  void write(const std::string& json) {
    std::filesystem::create_directories(folder_.file("annotations"));
    write_file(folder_.file("annotations/captions_train2014.json"), json);
  }
  TempFolder folder_;
};

TEST_F(ReadMscocoTest, FindsImagesAndCaptions) {
  write(R"({"images": [{"id": 7, "file_name": "x.jpg"},
                       {"id": 5, "file_name": "y.jpg"}],
            "annotations": [{"id": 1, "image_id": 5, "caption": "A cat."},
                            {"id": 2, "image_id": 7, "caption": "A dog."},
                            {"id": 3, "image_id": 5, "caption": "Animals."}]})");
  const auto images = read_mscoco(folder_.path(), "train");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].path, folder_.file("train2014/x.jpg"));
  EXPECT_THAT(images[0].captions, ElementsAre("A dog."));
  EXPECT_EQ(images[1].path, folder_.file("train2014/y.jpg"));
  EXPECT_THAT(images[1].captions, ElementsAre("A cat.", "Animals."));
}

TEST_F(ReadMscocoTest, SaysWhereTheDataIs) {
  EXPECT_THAT(error_of<IoError>([] { read_mscoco("nowhere", "val"); }),
              AllOf(HasSubstr("'nowhere/annotations/captions_val2014.json'"),
                    HasSubstr("https://cocodataset.org/#download")));
}

TEST_F(ReadMscocoTest, RefusesOtherFiles) {
  for (const char* text :
       {"", "[1, 2]", "{\"images\": [{}], \"annotations\": []}",
        "{\"images\": [], \"annotations\": "
        "[{\"image_id\": 1, \"caption\": \"\"}]}"}) {
    write(text);
    EXPECT_THAT(
        error_of<IoError>([&] { read_mscoco(folder_.path(), "train"); }),
        HasSubstr("captions_train2014.json' is no file of MSCOCO's"))
        << text;
  }
}

}  // namespace
}  // namespace catena::examples
