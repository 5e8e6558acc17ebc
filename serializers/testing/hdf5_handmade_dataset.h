#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/load_limits.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/serializer.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {

// Messages of a dataset's header, as they stand in the file.
namespace handmade {

inline const std::string kSmallOnes = number(1, 2) + number(2, 2);  // 1 and 2

inline std::string space_1(const std::vector<uint64_t>& extents) {
  std::string body = number(1, 1) + number(extents.size(), 1) + number(0, 6);
  for (const uint64_t extent : extents) body += number(extent, 8);
  return body;
}
inline std::string space_2(int rank, int kind, const std::string& rest = "",
                           int flags = 0) {
  return number(2, 1) + number(static_cast<uint64_t>(rank), 1) +
         number(static_cast<uint64_t>(flags), 1) +
         number(static_cast<uint64_t>(kind), 1) + rest;
}

inline std::string datatype(int type, uint64_t bits, uint64_t bytes,
                            const std::string& properties, int version = 1) {
  return number(static_cast<uint64_t>(type | version << 4) | bits << 8, 4) +
         number(bytes, 4) + properties;
}
inline constexpr uint64_t kSigned = 1 << 3;
inline std::string integer(uint64_t bits, uint64_t bytes) {
  return datatype(0, bits, bytes, number(0, 2) + number(8 * bytes, 2));
}

// Sign, exponent and mantissa, each as the first of its bits and their number.
struct Float {
  int version = 1;
  uint64_t bits = 31 << 8 | 0x20;
  uint64_t bytes = 4;
  uint64_t offset = 0;
  uint64_t precision = 32;
  uint64_t exponent = 23;
  uint64_t exponent_bits = 8;
  uint64_t mantissa = 0;
  uint64_t mantissa_bits = 23;
  uint64_t bias = 127;

  std::string type() const {
    return datatype(1, bits, bytes,
                    number(offset, 2) + number(precision, 2) +
                        number(exponent, 1) + number(exponent_bits, 1) +
                        number(mantissa, 1) + number(mantissa_bits, 1) +
                        number(bias, 4),
                    version);
  }
};

inline std::string compact(const std::string& data) {
  return number(3, 1) + number(0, 1) + number(data.size(), 2) + data;
}
inline std::string contiguous(uint64_t address, uint64_t bytes) {
  return number(3, 1) + number(1, 1) + number(address, 8) + number(bytes, 8);
}

// The number of parameters of deflate, and its level.
inline const std::string kGzipLevel = number(1, 2) + number(6, 4);

// A filter pipeline of version 2 whose filters have no other parameters.
inline std::string filters_2(
    const std::vector<std::pair<int, int>>& ids_and_flags) {
  std::string body = number(2, 1) + number(ids_and_flags.size(), 1);
  for (const auto& [id, flags] : ids_and_flags) {
    body += number(static_cast<uint64_t>(id), 2) +
            number(static_cast<uint64_t>(flags), 2) +
            (id == 1 ? kGzipLevel : number(0, 2));
  }
  return message(11, body);
}

// A dataset, of two int16 in its header unless a test says otherwise.
struct Parts {
  std::string space = space_1({2});
  std::string type = integer(kSigned, 2);
  std::string layout = compact(kSmallOnes);
  std::string more = {};    // further messages
  std::string behind = {};  // what stands behind the header
  int type_flags = 0;       // of the message
  LoadLimits limits = {};

  std::string messages() const {
    return message(1, space) + message(3, type, type_flags) +
           message(8, layout) + more;
  }
};

}  // namespace handmade

// Reads files of one dataset, which is put together by hand.
class HandmadeDatasetTest : public ::testing::Test {
 protected:
  // The root group, which has the dataset alone, takes this.
  static constexpr uint64_t kDataset = handmade::kRoot + 72;
  static uint64_t behind(const handmade::Parts& parts) {
    return kDataset + handmade::header(parts.messages()).size();
  }

  SerializedValue value(const handmade::Parts& parts) const {
    catena::testing::write_file(
        path(),
        handmade::file(handmade::header(handmade::link_to("x", kDataset)) +
                       handmade::header(parts.messages()) + parts.behind));
    const auto entry = Hdf5Reader(path(), parts.limits).read("x");
    EXPECT_TRUE(entry.has_value());
    return entry.value_or(SerializedValue());
  }
  Array array(const handmade::Parts& parts) const {
    return std::get<Array>(value(parts));
  }
  std::string text(const handmade::Parts& parts) const {
    return std::get<std::string>(value(parts));
  }
  void expect_refusal(const handmade::Parts& parts,
                      const std::string& message) const {
    EXPECT_THAT(catena::testing::error_of<IoError>([&] { value(parts); }),
                ::testing::HasSubstr(message));
  }
  void expect_numbers(const handmade::Parts& parts, const NestedList& expected,
                      Dtype dtype = Dtype::kInt16) const {
    EXPECT_THAT(array(parts),
                catena::testing::IsArray(array::array(expected, dtype)));
  }

  std::string path() const { return folder_.file("handmade.h5"); }

 private:
  catena::testing::TempFolder folder_;
};

}  // namespace catena::serializers
