// Changes every byte of a small file of every format, and truncates the file at
// many lengths: loading either fails and changes nothing, or returns the saved
// values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/serializers/hdf5.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;

// The object that is saved and loaded.
struct Values {
  explicit Values(int64_t start)
      : number(start),
        text(start == 0 ? "" : "from " + std::to_string(start)),
        matrix(counted({2, 3}, start, Dtype::kFloat32)),
        half(counted({3}, start, Dtype::kFloat16)),
        brain(counted({3}, start, Dtype::kBFloat16)),
        none(start == 0 ? array::ones({2}) : Array()) {}

  static Array counted(const Shape& shape, int64_t start, Dtype dtype) {
    const int64_t size = array::empty(shape, dtype).size();
    return array::arange(start, start + size).astype(dtype).reshape(shape);
  }

  void serialize(const Serializer& serializer) {
    serializer("number", number);
    serializer("text", text);
    serializer["group"]("matrix", matrix);
    serializer["group"]("half", half);
    serializer["group"]("brain", brain);
    serializer("none", none);
  }

  int64_t number;
  std::string text;
  Array matrix, half, brain;
  Array none;
};

void expect_equal(const Values& actual, const Values& expected) {
  EXPECT_EQ(actual.number, expected.number);
  EXPECT_EQ(actual.text, expected.text);
  EXPECT_THAT(actual.matrix, IsArray(expected.matrix));
  EXPECT_THAT(actual.half, IsArray(expected.half));
  EXPECT_THAT(actual.brain, IsArray(expected.brain));
  // None leaves the value unchanged.
  EXPECT_THAT(actual.none, IsArray(array::ones({2})));
}

struct DamagedFormat {
  std::string name;
  std::function<void(const std::string&, Values&)> save;
  std::function<void(const std::string&, Values&)> load;
};
std::ostream& operator<<(std::ostream& os, const DamagedFormat& format) {
  return os << format.name;
}

std::vector<DamagedFormat> damaged_formats() {
  // Small limits, so that an unchecked size makes the test slow.
  static const LoadOptions kOptions = {
      .limits = {.total_bytes = 1 << 22, .array_bytes = 1 << 20}};
  const auto npz = [](bool compression) {
    return [=](const std::string& file, Values& values) {
      save_npz(file, values, {.compression = compression});
    };
  };
  const auto hdf5 = [](int compression) {
    return [=](const std::string& file, Values& values) {
      save_hdf5(file, values, {.compression = compression});
    };
  };
  const auto from_npz = [](const std::string& file, Values& values) {
    load_npz(file, values, kOptions);
  };
  const auto from_hdf5 = [](const std::string& file, Values& values) {
    load_hdf5(file, values, kOptions);
  };
  return {{"npz", npz(true), from_npz},
          {"npz_stored", npz(false), from_npz},
          {"hdf5", hdf5(4), from_hdf5},
          {"hdf5_stored", hdf5(0), from_hdf5},
          {"safetensors",
           [](const std::string& file, Values& values) {
             save_safetensors(file, values);
           },
           [](const std::string& file, Values& values) {
             load_safetensors(file, values, kOptions);
           }}};
}

class DamageTest : public ::testing::TestWithParam<DamagedFormat> {
 protected:
  DamageTest() {
    Values saved(7);
    GetParam().save(folder_.file("whole"), saved);
    bytes_ = read_file(folder_.file("whole"));
  }

  // Whether the bytes load; checks that values are then as saved, otherwise
  // unchanged.
  bool loads(const std::string& bytes) {
    write_file(folder_.file("damaged"), bytes);
    Values target(0);
    try {
      GetParam().load(folder_.file("damaged"), target);
      expect_equal(target, Values(7));
      return true;
    } catch (const IoError& error) {
      expect_equal(target, Values(0));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("damaged"));
      return false;
    }
  }

  TempFolder folder_;
  std::string bytes_;
};

TEST_P(DamageTest, TheWholeFileLoads) { EXPECT_TRUE(loads(bytes_)); }

TEST_P(DamageTest, NoFileCutShortLoads) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    ASSERT_FALSE(loads(bytes_.substr(0, size))) << size;
  }
}

TEST_P(DamageTest, AChangedByteIsNoticedOrWithoutEffect) {
  int refused = 0;
  for (size_t i = 0; i < bytes_.size(); ++i) {
    std::string changed = bytes_;
    changed[i] = static_cast<char>(changed[i] ^ 1 << (i % 8));
    refused += !loads(changed);
    if (HasFailure()) FAIL() << "byte " << i << " of " << bytes_.size();
  }
  EXPECT_GT(refused, static_cast<int>(bytes_.size()) / 3);
}

INSTANTIATE_TEST_SUITE_P(All, DamageTest,
                         ::testing::ValuesIn(damaged_formats()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace catena::serializers
