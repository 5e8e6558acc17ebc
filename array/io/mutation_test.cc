// Truncates files at every length and changes bytes, one or several at a time:
// reading always gives a value or an IoError.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/npz.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

// Small limits, so that a size that slips through shows as a slow test.
constexpr LoadLimits kLimits = {.total_bytes = 1 << 22, .array_bytes = 1 << 22};

enum class Outcome { kRead, kRefused };

Outcome read_as_npy(const std::string& bytes) {
  try {
    const ByteSource source = ByteSource::of_memory(bytes, "test");
    SourceStream stream(source);
    read_npy(stream, kLimits);
    return Outcome::kRead;
  } catch (const IoError&) {
    return Outcome::kRefused;
  }
}

Outcome read_as_npz(const std::string& bytes) {
  try {
    const NpzReader reader = NpzReader::from_bytes(bytes, kLimits);
    for (const std::string& key : reader.keys()) reader.read(key);
    return Outcome::kRead;
  } catch (const IoError&) {
    return Outcome::kRefused;
  }
}

struct Case {
  const char* file;
  Outcome (*read)(const std::string&);
  int flips;  // per byte of the file; few for long ones
};

class MutationTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    bytes_ = testing::read_file(
        testing::runfile(std::string("tests/golden/") + GetParam().file));
  }
  Outcome read(const std::string& bytes) const {
    return GetParam().read(bytes);
  }

  std::string bytes_;
};

TEST_P(MutationTest, IsReadWhole) { EXPECT_EQ(read(bytes_), Outcome::kRead); }

TEST_P(MutationTest, EveryTruncationIsRefused) {
  const size_t step = bytes_.size() > 10'000 ? 37 : 1;
  for (size_t size = 0; size < bytes_.size(); size += step) {
    EXPECT_EQ(read(bytes_.substr(0, size)), Outcome::kRefused) << size;
  }
}

TEST_P(MutationTest, TrailingBytesAreRefused) {
  EXPECT_EQ(read(bytes_ + "x"), Outcome::kRefused);
}

TEST_P(MutationTest, ChangedBytesNeverDoHarm) {
  std::mt19937 random(20240601);
  const auto any = [&](size_t end) { return random() % end; };
  const int64_t rounds = GetParam().flips * static_cast<int64_t>(bytes_.size());
  for (int64_t i = 0; i < rounds; ++i) {
    std::string mutant = bytes_;
    mutant[i % mutant.size()] = static_cast<char>(random());
    for (size_t more = any(3); more > 0; --more) {
      mutant[any(mutant.size())] = static_cast<char>(random());
    }
    read(mutant);
  }
}

TEST_P(MutationTest, RepeatedAndMissingPartsNeverDoHarm) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string mutant = bytes_;
    const size_t from = random() % mutant.size();
    const size_t to = random() % mutant.size();
    const size_t count = random() % 64;
    if (i % 2 == 0) {
      mutant.erase(from, count);
    } else {
      mutant.insert(to, mutant.substr(from, count));
    }
    read(mutant);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Golden, MutationTest,
    ::testing::Values(
        Case{"array/npy/float32.npy", read_as_npy, 100},
        Case{"array/npy/bigendian_i4_fortran.npy", read_as_npy, 100},
        Case{"array/npy/five_d_u8.npy", read_as_npy, 100},
        Case{"array/npy/version2_f64.npy", read_as_npy, 100},
        Case{"array/npy/bool.npy", read_as_npy, 100},
        Case{"array/npy/unicode.npy", read_as_npy, 100},
        Case{"array/npy/object_none.npy", read_as_npy, 100},
        Case{"array/npy/expected.npz", read_as_npz, 2},
        Case{"array/npy/expected_compressed.npz", read_as_npz, 2},
        Case{"serializers/model_uninitialized.npz", read_as_npz, 10},
        Case{"array/npy/deflate_big.npz", read_as_npz, 0}),
    [](const auto& info) {
      std::string name = info.param.file;
      for (char& c : name) {
        if (!std::isalnum(c)) c = '_';
      }
      return name;
    });

}  // namespace
}  // namespace catena::array
