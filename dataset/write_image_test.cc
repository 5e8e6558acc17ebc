#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/dataset/image_file.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::dataset {
namespace {

using array::array;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::TempFolder;

// Different values at every place, in reversed order of axes.
Array scattered(const Shape& shape) {
  const Array reversed = array::zeros(shape).transpose();
  const Array numbers =
      array::arange(reversed.size()).reshape(reversed.shape()) * 7;
  return numbers.astype(Dtype::kUInt8).transpose();
}

class WriteImageTest : public ::testing::Test {
 protected:
  Array written(const Array& image) {
    write_image(path, image);
    return read_image(path);
  }
  Array written_grid(const Array& images,
                     const WriteImageGridOptions& options) {
    write_image_grid(path, images, options);
    return read_image(path);
  }

  const TempFolder folder;
  const std::string path = folder.file("image.png");
};

TEST_F(WriteImageTest, ReadingGivesTheSamePixels) {
  for (const int64_t channels : {3, 4}) {
    const Array image = scattered({channels, 5, 7});
    EXPECT_THAT(written(image), IsArray(image.transpose({1, 2, 0})));
  }
  const Array gray = scattered({9, 4});
  EXPECT_THAT(written(gray), IsArray(gray));
  EXPECT_THAT(written(gray.expand_dims(0)), IsArray(gray));
  EXPECT_THAT(written(scattered({1, 1})), IsArray(scattered({1, 1})));
}

TEST_F(WriteImageTest, ViewsAreWrittenAsTheyAre) {
  const Array image = scattered({3, 8, 9});
  const Array view = image[{Slice(std::nullopt, std::nullopt, -1),
                            Slice(1, 8, 2), Slice(2, 7)}];
  EXPECT_THAT(written(view), IsArray(view.transpose({1, 2, 0})));
  // As read_image returns it.
  EXPECT_THAT(written(written(image).transpose({2, 0, 1})),
              IsArray(image.transpose({1, 2, 0})));
  const Array row = array({1, 2, 3}, Dtype::kUInt8).broadcast_to({2, 3});
  EXPECT_THAT(written(row), IsArray(row));
}

TEST_F(WriteImageTest, NoiseNeedsMoreBytesThanPixels) {
  const Array noise = array::empty({64, 64}, Dtype::kUInt8, native_device());
  uint32_t state = 1;
  for (int64_t i = 0; i < noise.size(); ++i) {
    state = state * 1664525 + 1013904223;
    noise.data<uint8_t>()[i] = static_cast<uint8_t>(state >> 24);
  }
  EXPECT_THAT(written(noise), IsArray(noise));
}

TEST_F(WriteImageTest, FloatsAreScaledRoundedAndLimited) {
  const Array image = array({{0.0, 1.0, 0.5}, {0.001, 0.002, 0.75}});
  const Array expected = array({{0, 255, 128}, {0, 1, 191}}, Dtype::kUInt8);
  for (const Dtype dtype :
       {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16}) {
    EXPECT_THAT(written(image.astype(dtype)), IsArray(expected)) << dtype;
  }
  const Array outside = array({{-0.5, 1.5, 300.0}, {NAN, INFINITY, -INFINITY}});
  EXPECT_THAT(written(outside),
              IsArray(array({{0, 255, 255}, {0, 255, 0}}, Dtype::kUInt8)));
}

TEST_F(WriteImageTest, LevelsSurviveAsFloats) {
  const Array levels =
      array::arange(256).reshape({16, 16}).astype(Dtype::kUInt8);
  EXPECT_THAT(written(levels.astype(Dtype::kFloat32) / 255.0f),
              IsArray(levels));
}

TEST_F(WriteImageTest, ArraysMayBeOnAnyDevice) {
  const Array image = scattered({3, 2, 5});
  EXPECT_THAT(written(image.to_device(native_device(1))),
              IsArray(image.transpose({1, 2, 0})));
}

TEST_F(WriteImageTest, OtherArraysAreErrorsAndLeaveTheFile) {
  const Array image = scattered({2, 2});
  write_image(path, image);
  const auto expect_error = [&]<class E>(const Array& bad, std::string message,
                                         E) {
    EXPECT_THAT(error_of<E>([&] { write_image(path, bad); }),
                AllOf(HasSubstr("write_image: '" + path), HasSubstr(message)));
  };
  const auto zeros = [](const Shape& shape, Dtype dtype = Dtype::kUInt8) {
    return array::zeros(shape, dtype, native_device());
  };
  expect_error(zeros({5}), "expected an image (H, W) or (C, H, W), got (5,)",
               ShapeError(""));
  expect_error(zeros({2, 3, 4, 4}), "write_image_grid writes several",
               ShapeError(""));
  expect_error(zeros({2, 4, 5}), "with 1, 3 or 4 channels", ShapeError(""));
  expect_error(zeros({20, 19, 3}),
               "got (20, 19, 3); transpose images whose channels come last",
               ShapeError(""));
  expect_error(zeros({3, 0, 5}), "at least one pixel, got (3, 0, 5)",
               ShapeError(""));
  expect_error(zeros({4, 4}, Dtype::kInt64),
               "expected pixels as uint8, or as floats in [0, 1], got int64",
               DtypeError(""));
  EXPECT_THAT(read_image(path), IsArray(image));
}

TEST_F(WriteImageTest, FilesThatCannotBeWrittenAreErrors) {
  const std::string missing = folder.file("missing/image.png");
  EXPECT_THAT(error_of<IoError>([&] {
                write_image(missing, scattered({2, 2}));
              }),
              HasSubstr("write_image: '" + missing + "'"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// JPEG preserves gradients well.
Array smooth(const Shape& shape) {
  const Array brightness =
      array::arange(shape[1]).reshape({-1, 1}) * 5 + array::arange(shape[2]);
  return (brightness + array::arange(shape[0]).reshape({-1, 1, 1}) * 60)
      .astype(Dtype::kUInt8);
}

// Compares pixels within some of 255 levels.
auto is_nearly(const Array& expected, double levels = 6) {
  return ::testing::ResultOf(
      [](const Array& pixels) { return pixels.astype(Dtype::kFloat64); },
      IsClose(expected.astype(Dtype::kFloat64), {.rtol = 0, .atol = levels}));
}

TEST_F(WriteImageTest, TheNameTellsTheFormat) {
  const Array image = smooth({3, 19, 14});
  for (const std::string name : {"a.jpg", "b.JPEG", "c.d.Jpg"}) {
    const std::string file = folder.file(name);
    write_image(file, image);
    EXPECT_TRUE(testing::read_file(file).starts_with("\xff\xd8")) << name;
    EXPECT_THAT(read_image(file), is_nearly(image.transpose({1, 2, 0})));
  }
  for (const std::string name : {"a.png", "b", "c.jpg.tmp"}) {
    const std::string file = folder.file(name);
    write_image(file, image);
    EXPECT_TRUE(testing::read_file(file).starts_with("\x89PNG")) << name;
  }
}

TEST_F(WriteImageTest, JpegsAreGrayOrRgb) {
  const std::string file = folder.file("image.jpg");
  const Array gray = smooth({1, 9, 21});
  write_image(file, gray);
  EXPECT_THAT(read_image(file), is_nearly(gray[0]));
  write_image(file, gray[0].astype(Dtype::kFloat32) / 255.0f);
  EXPECT_THAT(read_image(file), is_nearly(gray[0]));
  write_image_grid(file, smooth({3, 16, 16}).expand_dims(0),
                   {.padding = 0, .quality = 100});
  EXPECT_THAT(read_image(file),
              is_nearly(smooth({3, 16, 16}).transpose({1, 2, 0}), 3));
  EXPECT_THAT(error_of<ShapeError>([&] {
                write_image(file, smooth({4, 9, 7}));
              }),
              HasSubstr("with 1 or 3 channels, as JPEGs have, and at least one "
                        "pixel, got (4, 9, 7)"));
}

TEST_F(WriteImageTest, LowerQualityTakesFewerBytes) {
  const std::string file = folder.file("image.jpg");
  const Array image = scattered({3, 64, 64});
  const auto size = [&](int64_t quality) {
    write_image(file, image, {.quality = quality});
    EXPECT_EQ(read_image(file).shape(), (Shape{64, 64, 3}));
    return std::filesystem::file_size(file);
  };
  const auto best = size(100);
  write_image(file, image);
  const auto usual = std::filesystem::file_size(file);
  EXPECT_EQ(usual, size(95));
  EXPECT_GT(best, usual);
  EXPECT_GT(usual, 2 * size(30));
  EXPECT_GT(size(30), size(1));
  for (const int64_t quality : {0, 101}) {
    EXPECT_THAT(error_of<ValueError>(
                    [&] { write_image(file, image, {.quality = quality}); }),
                HasSubstr("expected a quality from 1 to 100, got " +
                          std::to_string(quality)));
    EXPECT_THROW(
        write_image_grid(file, image.expand_dims(0), {.quality = quality}),
        ValueError);
  }
}

TEST_F(WriteImageTest, JpegsHaveALargestSize) {
  const std::string file = folder.file("image.jpg");
  const Array row = array::zeros({1, 65501}, Dtype::kUInt8);
  EXPECT_THAT(error_of<IoError>([&] { write_image(file, row); }),
              HasSubstr("expected at most 65500 pixels in a row or column of a "
                        "JPEG, got an image of 65501 x 1"));
  EXPECT_THROW(write_image(file, row.transpose()), IoError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(WriteImageTest, GridsHaveRowsOfImages) {
  const Array images = scattered({3, 1, 2, 2});
  const Array grid = written_grid(images, {.columns = 2, .padding = 1});
  ASSERT_EQ(grid.shape(), (Shape{7, 7}));
  Array expected = array::zeros({7, 7}, Dtype::kUInt8, native_device());
  expected[{Slice(1, 3), Slice(1, 3)}] = images[0][0];
  expected[{Slice(1, 3), Slice(4, 6)}] = images[1][0];
  expected[{Slice(4, 6), Slice(1, 3)}] = images[2][0];
  EXPECT_THAT(grid, IsArray(expected));
}

TEST_F(WriteImageTest, GridsHaveColorsAndNoMoreColumnsThanImages) {
  const Array images = scattered({2, 3, 4, 5});
  const Array grid = written_grid(images, {.padding = 0});
  ASSERT_EQ(grid.shape(), (Shape{4, 10, 3}));
  const Array second = grid[{Slice(), Slice(5, 10)}];
  EXPECT_THAT(second, IsArray(images[1].transpose({1, 2, 0})));
  const Array white = array::ones({5, 3, 4, 4}, Dtype::kFloat32);
  const Array row = written_grid(white, {});
  EXPECT_EQ(row.shape(), (Shape{8, 32, 3}));
  EXPECT_EQ(row[2][2][0].item<int>(), 255);
  EXPECT_EQ(row[1][2][0].item<int>(), 0);
}

TEST_F(WriteImageTest, OtherGridsAreErrors) {
  const Array images = scattered({2, 3, 4, 5});
  EXPECT_THAT(error_of<ShapeError>([&] { write_image_grid(path, images[0]); }),
              HasSubstr("expected images (N, C, H, W), got (3, 4, 5)"));
  EXPECT_THAT(error_of<ShapeError>([&] {
                write_image_grid(path, scattered({2, 6, 5, 3}));
              }),
              HasSubstr("; transpose images whose"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { write_image_grid(path, images, {.columns = 0}); }),
              HasSubstr("columns >= 1 and padding >= 0, got 0 and 2"));
  EXPECT_THROW(write_image_grid(path, images, {.padding = -1}), ValueError);
  EXPECT_THAT(error_of<ValueError>(
                  [&] { write_image_grid(path, images[{Slice(0, 0)}]); }),
              HasSubstr("at least one image, got (0, 3"));
  EXPECT_THROW(write_image_grid(path, images.astype(Dtype::kInt32)),
               DtypeError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace catena::dataset
