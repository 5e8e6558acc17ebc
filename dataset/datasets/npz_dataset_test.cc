#include "catena/dataset/datasets/npz_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using dataset::Example;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;

class NpzDatasetTest : public ::testing::Test {
 protected:
  testing::TempFolder folder;
  const std::string path = folder.file("data.npz");
};

TEST_F(NpzDatasetTest, HasWhatWasWritten) {
  NpzDatasetWriter writer(path);
  for (int i = 0; i < 12; ++i) {
    writer.write({arange(i), array(2 * i, Dtype::kInt32)});
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.commit();
  const NpzDataset data(path);
  ASSERT_EQ(data.size(), 12);
  EXPECT_THAT(data[11][0], IsArray(arange(11)));
  EXPECT_THAT(data[11][1], IsArray(array(22, Dtype::kInt32)));
  EXPECT_EQ(data[0][0].shape(), Shape{0});
  EXPECT_EQ(data[0].names(), nullptr);
}

TEST_F(NpzDatasetTest, KeepsNames) {
  const DictDataset source({{"x", arange(3)}, {"t", arange(3, 6)}});
  NpzDatasetWriter writer(path, array::NpzCompression::kStored);
  for (int64_t i = 0; i < source.size(); ++i) writer.write(source[i]);
  writer.commit();
  const NpzDataset data(path);
  ASSERT_EQ(data.size(), 3);
  EXPECT_THAT(data[2]["t"], IsArray(array(5)));
  EXPECT_THAT(*data[2].names(), ElementsAre("x", "t"));
}

TEST_F(NpzDatasetTest, MayBeEmpty) {
  NpzDatasetWriter(path).commit();
  EXPECT_EQ(NpzDataset(path).size(), 0);
}

TEST_F(NpzDatasetTest, ExamplesMustHaveTheSameFields) {
  NpzDatasetWriter writer(path);
  EXPECT_THAT(error_of<ValueError>([&] { writer.write(Example()); }),
              HasSubstr("expected some fields in example 0, got none"));
  writer.write({1, 2});
  EXPECT_THAT(error_of<ValueError>([&] { writer.write({1}); }),
              HasSubstr("expected 'arr_0', 'arr_1' in example 1, got 'arr_0'"));
}

TEST_F(NpzDatasetTest, OtherArchivesAreRefused) {
  const auto expect_error = [&](const array::NpzItems& items,
                                const char* message) {
    array::savez(path, items);
    EXPECT_THAT(error_of<IoError>([&] { NpzDataset{path}; }),
                HasSubstr(message));
  };
  const Array x = arange(2);
  expect_error({{"x", x}}, "expected the key '0/arr_0', got 'x'");
  expect_error({{"0/x", x}, {"0/y", x}, {"1/x", x}},
               "expected 'x', 'y' in example 1, got fewer fields");
  expect_error({{"0/x", x}, {"2/x", x}}, "expected the key '1/x', got '2/x'");
}

}  // namespace
}  // namespace catena::datasets
