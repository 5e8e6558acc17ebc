#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/datasets/cifar.h"
#include "catena/dataset/datasets/svhn.h"
#include "catena/dataset/testing/file_builders.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MatBuilder;
using testing::tar_end;
using testing::tar_member;
using testing::write_file;

// Labels, and an image with a constant value in each channel.
std::string record(const std::string& labels, int first) {
  std::string bytes = labels;
  for (int channel = 0; channel < 3; ++channel) {
    bytes += std::string(1024, static_cast<char>(first + channel));
  }
  return bytes;
}

class CifarTest : public ::testing::Test {
 protected:
  CifarTest() {
    for (char i = 1; i <= 5; ++i) {
      write("data_batch_" + std::to_string(i) + ".bin",
            record(std::string(1, i), 10 * i));
    }
    write("test_batch.bin", record("\x09", 200) + record(std::string(1, 0), 0));
    write("train.bin", record("\x13\x63", 1) + record("\x02\x03", 4));
    write("test.bin", record("\x01\x02", 7));
  }
  void write(const std::string& name, const std::string& bytes) const {
    write_file(folder.file(name), bytes);
  }
  GetCifarOptions options() const { return {.data_dir = folder.path()}; }
  void expect_error(const std::string& message) const {
    EXPECT_THAT(error_of<IoError>([&] { get_cifar10(options()); }),
                AllOf(HasSubstr("get_cifar10: "), HasSubstr(message)));
  }

  testing::TempFolder folder;
};

TEST_F(CifarTest, ReadsAFolder) {
  const auto [train, test] = get_cifar10(options());
  ASSERT_EQ(train.size(), 5);
  ASSERT_EQ(test.size(), 2);
  const auto example = train[2];
  EXPECT_EQ(example[0].shape(), (Shape{3, 32, 32}));
  EXPECT_EQ(example[0].dtype(), Dtype::kFloat32);
  EXPECT_FLOAT_EQ(example[0][2][31][31].item<float>(), 32 / 255.0f);
  EXPECT_EQ(example[1].item<int>(), 3);
  EXPECT_EQ(test[0][1].item<int>(), 9);
}

TEST_F(CifarTest, OfCifar100TheFineLabelsCount) {
  const auto [train, test] = get_cifar100(options());
  ASSERT_EQ(train.size(), 2);
  EXPECT_EQ(train[0][1].item<int>(), 99);
  EXPECT_EQ(train[1][1].item<int>(), 3);
  EXPECT_EQ(test[0][1].item<int>(), 2);
  EXPECT_FLOAT_EQ(test[0][0][0][0][0].item<float>(), 7 / 255.0f);
}

TEST_F(CifarTest, ComesInTheFormThatIsAskedFor) {
  GetCifarOptions flat = options();
  flat.withlabel = false;
  flat.ndim = 1;
  flat.scale = 255;
  const auto [train, test] = get_cifar10(flat);
  ASSERT_EQ(train[0].size(), 1);
  EXPECT_EQ(train[0][0].shape(), Shape{3072});
  EXPECT_FLOAT_EQ(train[0][0][1024].item<float>(), 11);
  flat.ndim = 2;
  EXPECT_THAT(error_of<ValueError>([&] { get_cifar100(flat); }),
              HasSubstr("get_cifar100: expected ndim 1 or 3, got 2"));
}

TEST_F(CifarTest, PrefersTheArchive) {
  std::string tar = tar_member("cifar-10-batches-bin/readme.html", "<html>");
  for (const char* name : {"test_batch", "data_batch_5", "data_batch_2",
                           "data_batch_3", "data_batch_4", "data_batch_1"}) {
    // The label is the number of the batch, or 0.
    const char label = static_cast<char>(std::string(name).back() % 16 % 8);
    tar += tar_member(std::string("cifar-10-batches-bin/") + name + ".bin",
                      record(std::string(1, label), 1));
  }
  write("cifar-10-binary.tar.gz", testing::gzip(tar + tar_end()));
  const auto [train, test] = get_cifar10(options());
  EXPECT_EQ(train.size(), 5);
  EXPECT_EQ(train[4][1].item<int>(), 5);
  ASSERT_EQ(test.size(), 1);
  write("cifar-10-binary.tar.gz", testing::gzip(tar_end()));
  expect_error("expected a file 'data_batch_1.bin', found none");
  write("cifar-10-binary.tar.gz", "no archive");
  expect_error("cifar-10-binary.tar.gz");
  const std::string twice = tar_member("test_batch.bin", "");
  write("cifar-10-binary.tar.gz", twice + twice + tar_end());
  expect_error("'test_batch.bin': expected unique file names");
}

TEST_F(CifarTest, NamesTheFileThatIsWrong) {
  write("data_batch_4.bin", record("\1", 1).substr(1));
  expect_error("data_batch_4.bin': expected records of 3073 bytes");
  write("data_batch_4.bin", record("\1", 1) + record("\x0a", 1));
  expect_error("data_batch_4.bin': expected labels below 10, got 10 at 1");
  std::filesystem::remove(folder.file("data_batch_4.bin"));
  expect_error("expected 'data_batch_4.bin' in '" + folder.path());
  GetCifarOptions small = options();
  small.limits.array_bytes = 2 * 3074 - 1;
  EXPECT_THAT(error_of<IoError>([&] { get_cifar100(small); }),
              HasSubstr("at most 6147 bytes, got 6148"));
}

class SvhnTest : public ::testing::Test {
 protected:
  SvhnTest() {
    write("train_32x32.mat", images(2), labels("\x0a\x03"));
    write("test_32x32.mat", images(1), labels("\x01"));
  }
  void write(const std::string& name, const std::string& X,
             const std::string& y) const {
    write_file(folder.file(name),
               mat.header() + mat.compressed(X) + mat.compressed(y));
  }
  // In MATLAB's order, rows fastest: row + 10 * column + 100 * channel.
  std::string images(uint32_t count) const {
    std::string pixels;
    for (uint32_t i = 0; i < count; ++i) {
      for (int channel = 0; channel < 3; ++channel) {
        for (int column = 0; column < 3; ++column) {
          for (int row = 0; row < 2; ++row) {
            pixels += static_cast<char>(row + 10 * column + 100 * channel);
          }
        }
      }
    }
    return mat.matrix("X", 9, {2, 3, 3, count}, mat.element(2, pixels));
  }
  std::string labels(const std::string& values) const {
    return mat.matrix("y", 9, {static_cast<uint32_t>(values.size()), 1},
                      mat.element(2, values));
  }
  void expect_error(const std::string& message) const {
    EXPECT_THAT(
        error_of<IoError>([&] { get_svhn({.data_dir = folder.path()}); }),
        HasSubstr(message));
  }

  MatBuilder mat;
  testing::TempFolder folder;
};

TEST_F(SvhnTest, ReadsAFolder) {
  const auto [train, test] =
      get_svhn({.scale = 255, .data_dir = folder.path()});
  ASSERT_EQ(train.size(), 2);
  ASSERT_EQ(test.size(), 1);
  const auto example = train[1];
  ASSERT_EQ(example[0].shape(), (Shape{3, 2, 3}));
  EXPECT_FLOAT_EQ(example[0][2][1][2].item<float>(), 221);
  EXPECT_FLOAT_EQ(example[0][0][1][0].item<float>(), 1);
  EXPECT_EQ(example[1].item<int>(), 3);
}

TEST_F(SvhnTest, TheDigitZeroHasTheLabelZero) {
  EXPECT_EQ(get_svhn({.data_dir = folder.path()}).first[0][1].item<int>(), 0);
  EXPECT_EQ(
      get_svhn({.withlabel = false, .data_dir = folder.path()}).first[0].size(),
      1);
}

TEST_F(SvhnTest, NamesWhatDoesNotFit) {
  write("test_32x32.mat", images(2), labels("\1"));
  expect_error("test_32x32.mat': expected 2 labels in 'y', got shape (1, 1)");
  write("test_32x32.mat", images(1), labels("\x0b"));
  expect_error("expected labels from 1 to 10, got 11 at 0");
  write("test_32x32.mat", labels("\1"), labels("\1"));
  expect_error("expected an array 'X', found none");
  write("test_32x32.mat", mat.matrix("X", 9, {1}, mat.element(2, "a")),
        labels("\1"));
  expect_error("expected uint8 images of shape (H, W, 3, N) in 'X', got");
  std::filesystem::remove(folder.file("test_32x32.mat"));
  expect_error("get_svhn: expected 'test_32x32.mat' in '" + folder.path());
}

}  // namespace
}  // namespace catena::datasets
