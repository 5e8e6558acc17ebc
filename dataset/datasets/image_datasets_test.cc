#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/datasets/digits.h"
#include "catena/dataset/datasets/mnist.h"
#include "catena/dataset/download.h"
#include "catena/dataset/testing/idx_files.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsClose;
using testing::TempFolder;
using testing::write_file;

TEST(DigitsTest, HasTheRealDigits) {
  const auto [train, test] = get_digits();
  EXPECT_EQ(train.size(), 1437);
  EXPECT_EQ(test.size(), 360);
  const auto all = train.gather(arange(train.size()));
  const Array& images = (*all)[0];
  const Array& labels = (*all)[1];
  EXPECT_EQ(images.shape(), (Shape{1437, 64}));
  EXPECT_EQ(images.dtype(), Dtype::kFloat32);
  EXPECT_EQ(labels.dtype(), Dtype::kInt32);
  const auto [min, max] = std::minmax_element(
      images.data<float>(), images.data<float>() + images.size());
  EXPECT_EQ(*min, 0.0f);
  EXPECT_EQ(*max, 1.0f);
  const std::set<int32_t> classes(labels.data<int32_t>(),
                                  labels.data<int32_t>() + labels.size());
  EXPECT_EQ(classes.size(), 10u);
}

TEST(DigitsTest, IsSplitTheSameWayEveryTime) {
  const auto [train, test] = get_digits();
  const auto [again, unused] = get_digits();
  EXPECT_THAT(again[7][0], IsClose(train[7][0]));
  EXPECT_EQ(again[7][1].item<int>(), train[7][1].item<int>());
}

TEST(DigitsTest, ComesInTheFormThatIsAskedFor) {
  EXPECT_EQ(get_digits({.ndim = 2}).first[0][0].shape(), (Shape{8, 8}));
  const auto [train, test] = get_digits(
      {.withlabel = false, .ndim = 3, .scale = 16, .dtype = Dtype::kFloat64});
  EXPECT_EQ(test[0].size(), 1);
  EXPECT_EQ(test[0][0].shape(), (Shape{1, 8, 8}));
  const auto [unit, unused] = get_digits({.ndim = 3, .dtype = Dtype::kFloat64});
  EXPECT_THAT(train[3][0], IsClose(unit[3][0] * 16.0));
  EXPECT_THAT(error_of<ValueError>([] { get_digits({.ndim = 4}); }),
              HasSubstr("get_digits: expected ndim 1, 2 or 3, got 4"));
}

std::string counting_images(uint32_t count, uint32_t height = 28,
                            uint32_t width = 28) {
  std::string pixels;
  for (uint32_t i = 0; i < count * height * width; ++i) {
    pixels += static_cast<char>(i % 256);
  }
  return testing::idx_images(count, height, width, pixels);
}

std::string counting_labels(uint32_t count, uint32_t classes = 10) {
  std::string labels;
  for (uint32_t i = 0; i < count; ++i) labels += static_cast<char>(i % classes);
  return testing::idx_labels(labels);
}

class MnistTest : public ::testing::Test {
 protected:
  void write_part(const std::string& part, uint32_t count) const {
    write(part + "-images-idx3-ubyte", counting_images(count));
    write(part + "-labels-idx1-ubyte", counting_labels(count));
  }
  void write(const std::string& name, const std::string& bytes) const {
    write_file(folder.file(name), bytes);
  }
  GetMnistOptions options() const { return {.data_dir = folder.path()}; }
  void expect_error(const std::string& message) const {
    EXPECT_THAT(error_of<IoError>([&] { get_mnist(options()); }),
                HasSubstr(message));
  }

  TempFolder folder;
};

TEST_F(MnistTest, ReadsAFolder) {
  write_part("train", 6);
  write_part("t10k", 3);
  const auto [train, test] = get_mnist(options());
  EXPECT_EQ(train.size(), 6);
  EXPECT_EQ(test.size(), 3);
  const auto example = train[1];
  EXPECT_EQ(example[0].shape(), (Shape{784}));
  EXPECT_EQ(example[0].dtype(), Dtype::kFloat32);
  EXPECT_FLOAT_EQ(example[0][5].item<float>(), (784 + 5) % 256 / 255.0f);
  EXPECT_EQ(example[1].item<int>(), 1);
}

TEST_F(MnistTest, ComesInTheFormThatIsAskedFor) {
  write_part("train", 2);
  write_part("t10k", 2);
  GetMnistOptions rgb = options();
  rgb.ndim = 3;
  rgb.rgb_format = true;
  rgb.withlabel = false;
  rgb.scale = 255;
  const auto [train, test] = get_mnist(rgb);
  ASSERT_EQ(train[0].size(), 1);
  EXPECT_EQ(train[0][0].shape(), (Shape{3, 28, 28}));
  EXPECT_FLOAT_EQ(train[0][0][2][0][7].item<float>(), 7);
  rgb.ndim = 2;
  EXPECT_THAT(error_of<ValueError>([&] { get_mnist(rgb); }),
              HasSubstr("get_mnist: expected ndim 3 with rgb_format"));
}

TEST_F(MnistTest, AFolderOfTestImagesAloneIsSplit) {
  write_part("t10k", 20);
  const auto [train, test] = get_mnist(options());
  EXPECT_EQ(train.size(), 16);
  EXPECT_EQ(test.size(), 4);
  EXPECT_EQ(test[0][1].item<int>(), 6);
}

TEST_F(MnistTest, NamesTheFileThatIsMissing) {
  expect_error("expected 'train-images-idx3-ubyte' or");
  write("train-labels-idx1-ubyte", counting_labels(3));
  write("t10k-images-idx3-ubyte", counting_images(3));
  expect_error("expected 'train-images-idx3-ubyte' or");
  write("train-images-idx3-ubyte", counting_images(3));
  expect_error("expected 't10k-labels-idx1-ubyte' or");
}

TEST_F(MnistTest, NamesTheFileThatDoesNotFit) {
  write_part("train", 3);
  write_part("t10k", 3);
  write("t10k-labels-idx1-ubyte", counting_labels(4));
  expect_error("t10k-labels-idx1-ubyte': expected 3 uint8 labels, got");
  // The third byte is the dtype: here int8.
  std::string of_int8 = counting_labels(3);
  of_int8[2] = 9;
  write("t10k-labels-idx1-ubyte", of_int8);
  expect_error("t10k-labels-idx1-ubyte': expected 3 uint8 labels, got int8");
  write("t10k-labels-idx1-ubyte", counting_labels(3));
  of_int8 = counting_images(3);
  of_int8[2] = 9;
  write("t10k-images-idx3-ubyte", of_int8);
  expect_error("expected uint8 images of shape (N, H, W), got int8");
  write("t10k-images-idx3-ubyte", counting_images(3));
  write("t10k-labels-idx1-ubyte", counting_labels(3).substr(0, 9));
  expect_error("t10k-labels-idx1-ubyte'");
  write("t10k-labels-idx1-ubyte",
        std::string("\0\0\x08\x01\0\0\0\x03", 8) + "\1\x0a\2");
  expect_error("expected labels below 10, got 10 at 1");
  write("t10k-labels-idx1-ubyte", counting_labels(3));
  for (const auto& [height, width] : {std::pair{14, 14}, {14, 28}, {28, 14}}) {
    write("t10k-images-idx3-ubyte", counting_images(3, height, width));
    expect_error("images of equal size");
  }
  write("t10k-images-idx3-ubyte", counting_labels(3));
  expect_error("expected uint8 images of shape (N, H, W), got uint8 of shape");
}

TEST_F(MnistTest, ReadsTheCacheAndSaysHowToFillItOffline) {
  dataset::set_dataset_root(folder.path());
  const TempFolder cache;
  std::filesystem::create_directory(folder.file("mnist"));
  write_part("mnist/train", 5);
  write_part("mnist/t10k", 2);
  EXPECT_EQ(get_mnist().first.size(), 5);
  // A proxy that does not exist makes every download fail.
  std::filesystem::remove(folder.file("mnist/t10k-labels-idx1-ubyte"));
  ASSERT_EQ(setenv("https_proxy", "http://127.0.0.1:9", 1), 0);
  EXPECT_THAT(
      error_of<IoError>([] { get_mnist(); }),
      AllOf(HasSubstr("get_mnist: '" +
                      folder.file("mnist/t10k-labels-idx1-ubyte.gz") +
                      "' does not exist and cannot be downloaded"),
            HasSubstr("Get it from https://"), HasSubstr("put it there"),
            HasSubstr("data_dir"), HasSubstr("t10k-labels-idx1-ubyte.gz: ")));
  write_file(folder.file("mnist/t10k-labels-idx1-ubyte.gz"), "damaged");
  EXPECT_THAT(
      error_of<IoError>([] { get_mnist(); }),
      AllOf(HasSubstr("t10k-labels-idx1-ubyte.gz' is damaged or another "
                      "file: expected SHA-256 "),
            HasSubstr("remove it")));
  dataset::set_dataset_root("");
}

TEST_F(MnistTest, ItsKinHaveItsForm) {
  write_part("train", 4);
  write_part("t10k", 2);
  EXPECT_EQ(get_fashion_mnist(options()).first.size(), 4);
  EXPECT_EQ(get_kuzushiji_mnist(options()).second.size(), 2);
  EXPECT_EQ(get_fashion_mnist_labels().size(), 10u);
  EXPECT_EQ(get_fashion_mnist_labels()[9], "Ankle boot");
  EXPECT_EQ(get_kuzushiji_mnist_labels()[3], "tsu");
  std::filesystem::remove(folder.file("train-images-idx3-ubyte"));
  EXPECT_THAT(error_of<IoError>([&] { get_fashion_mnist(options()); }),
              HasSubstr("get_fashion_mnist: expected "
                        "'train-images-idx3-ubyte'"));
}

TEST_F(MnistTest, ItsKinHaveTheirOwnCaches) {
  dataset::set_dataset_root(folder.path());
  for (const char* name : {"fashion-mnist", "kuzushiji-mnist"}) {
    std::filesystem::create_directory(folder.file(name));
  }
  write_part("fashion-mnist/train", 5);
  write_part("fashion-mnist/t10k", 2);
  write_part("kuzushiji-mnist/train", 3);
  write_part("kuzushiji-mnist/t10k", 2);
  EXPECT_EQ(get_fashion_mnist().first.size(), 5);
  EXPECT_EQ(get_kuzushiji_mnist().first.size(), 3);
  dataset::set_dataset_root("");
}

}  // namespace
}  // namespace catena::datasets
