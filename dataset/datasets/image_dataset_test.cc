#include "catena/dataset/datasets/image_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/testing/zip_builder.h"
#include "catena/dataset/testing/encoded_images.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using array::array;
using array::build_zip;
using array::RawMember;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::Pair;
using testing::png_file;
using testing::PngColor;

const std::string kGray =
    png_file({.width = 3, .height = 2, .lines = {"\1\2\3", "\4\5\6"}});
const std::string kColor = png_file({.width = 2,
                                     .height = 1,
                                     .color = PngColor::kRgb,
                                     .lines = {"\xff\1\2\3\4\5"}});

class ImageDatasetTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    testing::write_file(folder.file(name), bytes);
    return folder.file(name);
  }
  testing::TempFolder folder;
};

TEST_F(ImageDatasetTest, GivesChannelsFirst) {
  const std::string gray = write("gray.png", kGray);
  write("color.png", kColor);
  const ImageDataset images({gray, "color.png"}, {.root = folder.path()});
  ASSERT_EQ(images.size(), 2);
  EXPECT_THAT(images[0][0],
              IsArray(array({{{1, 2, 3}, {4, 5, 6}}}, Dtype::kFloat32)));
  EXPECT_THAT(images[1][0], IsArray(array({{{255, 3}}, {{1, 4}}, {{2, 5}}},
                                          Dtype::kFloat32)));
  EXPECT_TRUE(images[1][0].is_contiguous());
}

TEST_F(ImageDatasetTest, ComesInTheFormThatIsAskedFor) {
  const ImageDataset images(
      {write("gray.png", kGray)},
      {.dtype = Dtype::kUInt8, .color = dataset::ImageColor::kRgb});
  EXPECT_EQ(images[0][0].shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(images[0][0].dtype(), Dtype::kUInt8);
}

TEST_F(ImageDatasetTest, FilesAreReadWhenTheyAreAskedFor) {
  const ImageDataset images({"missing.png"}, {.root = folder.path()});
  EXPECT_THAT(error_of<IoError>([&] { images[0]; }),
              HasSubstr(folder.file("missing.png")));
}

// Literals, strings and both.
TEST_F(ImageDatasetTest, PathsMayBeListedInBraces) {
  const std::string gray = write("gray.png", kGray);
  EXPECT_EQ(ImageDataset({gray})[0][0].shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(ImageDataset({gray, gray})[1][0].shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(ImageDataset({"a.png", gray})[1][0].shape(), (Shape{1, 2, 3}));
  const ImageDataset one({"a.png"});
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(ImageDataset({"a.png", "b.png"}).size(), 2);
  EXPECT_EQ(ImageDataset({"a.png", "b.png", gray}).size(), 3);
  EXPECT_EQ(ImageDataset(one).size(), 1);
}

TEST_F(ImageDatasetTest, LabelsStandBesideTheirImages) {
  write("a.png", kGray);
  const LabeledImageDataset images({{"a.png", 3}, {"a.png", -1}},
                                   {.images = {.root = folder.path()}});
  ASSERT_EQ(images.size(), 2);
  EXPECT_EQ(images[1][0].shape(), (Shape{1, 2, 3}));
  EXPECT_THAT(images[0][1], IsArray(array(3, Dtype::kInt32)));
  EXPECT_THAT(images[1][1], IsArray(array(-1, Dtype::kInt32)));
  EXPECT_EQ(LabeledImageDataset(LabeledPaths()).size(), 0);
  EXPECT_THROW(
      LabeledImageDataset({{"a.png", 256}}, {.label_dtype = Dtype::kUInt8}),
      DtypeError);
}

TEST_F(ImageDatasetTest, ListsComeFromFiles) {
  EXPECT_THAT(read_image_paths(write("list", "a.png\r\n\n  b c.png \n")),
              ElementsAre("a.png", "b c.png"));
  EXPECT_THAT(read_labeled_image_paths(write("list", "a.png 3\nb c.png\t-1\n")),
              ElementsAre(Pair("a.png", 3), Pair("b c.png", -1)));
  for (const char* line : {"a.png", "a.png x", "a.png 3.5", "a.png 1e99",
                           "a.png 99999999999999999999"}) {
    const std::string list = write("list", std::string("a.png 1\n") + line);
    EXPECT_THAT(error_of<IoError>([&] { read_labeled_image_paths(list); }),
                AllOf(HasSubstr(list),
                      HasSubstr("line 2: expected a path, a blank and an "
                                "integer, got '")))
        << line;
  }
}

TEST_F(ImageDatasetTest, ReadsImagesInAnArchive) {
  const std::string path = write(
      "images.zip",
      build_zip({RawMember("x/gray.png", kGray), RawMember("c.png", kColor)}));
  const ZippedImageDataset images(path);
  ASSERT_EQ(images.size(), 2);
  EXPECT_EQ(images[0][0].shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(images[0][0].dtype(), Dtype::kFloat32);
  EXPECT_EQ(images[1][0].shape(), (Shape{3, 1, 2}));
}

TEST_F(ImageDatasetTest, ReadsImagesInSeveralArchives) {
  const std::string first =
      write("1.zip", build_zip({RawMember("a.png", kGray)}));
  const std::string second =
      write("2.zip", build_zip({RawMember("a.png", kColor)}));
  const MultiZippedImageDataset images({first, second},
                                       {.dtype = Dtype::kUInt8});
  ASSERT_EQ(images.size(), 2);
  EXPECT_EQ(images[0][0].shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(images[1][0].shape(), (Shape{3, 1, 2}));
  EXPECT_EQ(images[1][0].dtype(), Dtype::kUInt8);
}

TEST_F(ImageDatasetTest, NamesTheArchiveAndMemberThatAreDamaged) {
  const std::string other =
      write("1.zip", build_zip({RawMember("a.txt", "no image")}));
  const ZippedImageDataset text(other);
  EXPECT_THAT(error_of<IoError>([&] { text[0]; }),
              AllOf(HasSubstr(other + "/a.txt"), HasSubstr("'no image'")));
  RawMember member("a.png", kGray);
  member.crc ^= 1;
  const std::string damaged = write("2.zip", build_zip({member}));
  const ZippedImageDataset wrong(damaged);
  EXPECT_THAT(error_of<IoError>([&] { wrong[0]; }),
              AllOf(HasSubstr(damaged), HasSubstr("checksum")));
  EXPECT_THAT(error_of<IoError>([&] {
                MultiZippedImageDataset({other, folder.file("missing.zip")});
              }),
              HasSubstr("missing.zip"));
}

}  // namespace
}  // namespace catena::datasets
