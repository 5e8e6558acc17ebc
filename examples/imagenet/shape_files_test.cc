#include "catena/examples/imagenet/shape_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "catena/array/creation.h"
#include "catena/array/io/npy.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/datasets/image_dataset.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::IsClose;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::testing::StartsWith;

TEST(ShapeFilesTest, AreListsOfPicturesAndTheirMean) {
  const TempFolder folder;
  const PictureFiles files = draw_shape_files(folder.path(), 24, 40);
  EXPECT_THAT(read_file(files.train),
              StartsWith("train/0_circle.jpg 0\ntrain/1_square.jpg 1\n"));
  const auto train = datasets::read_labeled_image_paths(files.train);
  ASSERT_EQ(train.size(), 40u);
  EXPECT_EQ(datasets::read_labeled_image_paths(files.val).size(), 8u);

  const datasets::LabeledImageDataset pictures(
      train, {.images = {.root = files.root}});
  Array sum = array::zeros({3, 24, 24});
  for (int64_t i = 0; i < pictures.size(); ++i) {
    const dataset::Example example = pictures.get_example(i);
    EXPECT_EQ(example[0].shape(), Shape({3, 24, 24}));
    EXPECT_EQ(example[1].item<int32_t>(), i % 8);
    sum += example[0];
  }
  EXPECT_THAT(array::load_npy(files.mean),
              IsClose((sum / 40).astype(Dtype::kFloat32)));
}

TEST(ShapeFilesTest, AreDrawnOnlyOnce) {
  const TempFolder folder;
  const PictureFiles files = draw_shape_files(folder.path(), 16, 8);
  const std::string picture = files.root + "/train/3_star.jpg";
  const std::string bytes = read_file(picture);
  std::filesystem::remove(picture);
  draw_shape_files(folder.path(), 16, 8);
  EXPECT_FALSE(std::filesystem::exists(picture));
  // Without the mean, the file that is written last, they are incomplete.
  std::filesystem::remove(files.mean);
  draw_shape_files(folder.path(), 16, 8);
  EXPECT_EQ(read_file(picture), bytes);
  EXPECT_NE(draw_shape_files(folder.path(), 24, 8).root, files.root);
}

}  // namespace
}  // namespace catena::examples
