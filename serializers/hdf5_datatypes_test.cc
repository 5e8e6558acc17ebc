// Shapes and types of datasets, put together by hand.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/core/dtype.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_handmade_dataset.h"
#include "catena/serializers/testing/hdf5_hostile.h"
#include "catena/serializers/testing/hdf5_sample.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::read_file;
using handmade::compact;
using handmade::datatype;
using handmade::Float;
using handmade::integer;
using handmade::kSigned;
using handmade::number;
using handmade::Parts;
using handmade::space_1;
using handmade::space_2;

const std::string kTwo = number(2, 8);

TEST_F(HandmadeDatasetTest, DataspacesOfBothVersionsAreRead) {
  const std::string one = compact(number(7, 2));
  expect_numbers({.space = space_1({}), .layout = one}, 7);
  expect_numbers({.space = space_2(0, 0), .layout = one}, 7);
  expect_numbers({.space = space_2(1, 1, kTwo)}, {1, 2});
  // The largest extents: one of them, and without limit.
  for (const uint64_t largest : {uint64_t{5}, UINT64_MAX}) {
    expect_numbers({.space = space_2(1, 1, kTwo + number(largest, 8), 1)},
                   {1, 2});
  }
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(value({.space = space_2(0, 2)})));
  expect_refusal({.space = space_2(0, 3)},
                 "expected a scalar, simple or null dataspace, got kind 3");
  for (const int kind : {0, 2}) {
    expect_refusal({.space = space_2(1, kind, kTwo)},
                   "dataspace message at 192: expected no axes, got 1");
  }
  expect_refusal({.space = number(3, 1)}, "expected version 1 or 2, got 3");
}

TEST_F(HandmadeDatasetTest, ExtentsHaveLimits) {
  expect_refusal({.space = space_1({uint64_t{1} << 63})},
                 "expected extents below 2^63, got 9223372036854775808");
  expect_refusal({.space = space_1(std::vector<uint64_t>(9, 1))},
                 "expected at most 8 axes, got 9");
  expect_refusal({.space = space_1({uint64_t{1} << 62})}, "got a larger array");
}

TEST_F(HandmadeDatasetTest, IntegersOfWholeBytesAreNumbers) {
  expect_numbers({.type = integer(0, 2)}, {1, 2}, Dtype::kUInt16);
  expect_numbers({.type = integer(kSigned | 1, 2)}, {256, 512});
  const auto expect_other = [&](uint64_t bytes, uint64_t offset,
                                uint64_t precision) {
    expect_refusal({.type = datatype(0, kSigned, bytes,
                                     number(offset, 2) + number(precision, 2))},
                   str("expected numbers, bool or text, got integer elements "
                       "of ",
                       bytes, " bytes"));
  };
  expect_other(3, 0, 24);
  expect_other(2, 1, 16);
  expect_other(2, 0, 15);
  expect_refusal({.type = integer(kSigned, 0)},
                 "expected elements of at least 1 byte, got 0");
}

TEST_F(HandmadeDatasetTest, OnlyFloatsOfIeeeAndBFloat16AreNumbers) {
  const auto expect_one = [&](const Float& format, uint64_t one, Dtype dtype) {
    expect_numbers({.space = space_1({}),
                    .type = format.type(),
                    .layout = compact(number(one, format.bytes))},
                   1, dtype);
  };
  const auto half = [](uint64_t exponent_bits, uint64_t bias) {
    return Float{.bits = 15 << 8 | 0x20,
                 .bytes = 2,
                 .precision = 16,
                 .exponent = 15 - exponent_bits,
                 .exponent_bits = exponent_bits,
                 .mantissa_bits = 15 - exponent_bits,
                 .bias = bias};
  };
  expect_one({}, std::bit_cast<uint32_t>(1.0f), Dtype::kFloat32);
  expect_one({.version = 3}, std::bit_cast<uint32_t>(1.0f), Dtype::kFloat32);
  expect_one(half(5, 15), 0x3c00, Dtype::kFloat16);
  expect_one(half(8, 127), 0x3f80, Dtype::kBFloat16);
  expect_one({.bits = 63 << 8 | 0x20,
              .bytes = 8,
              .precision = 64,
              .exponent = 52,
              .exponent_bits = 11,
              .mantissa_bits = 52,
              .bias = 1023},
             std::bit_cast<uint64_t>(1.0), Dtype::kFloat64);
  for (const Float& format :
       {Float{.bits = 31 << 8 | 0x60}, Float{.bits = 31 << 8 | 0x10},
        Float{.version = 3, .bits = 31 << 8 | 0x61},
        Float{.bits = 30 << 8 | 0x20}, Float{.offset = 1, .precision = 31},
        Float{.precision = 31}, Float{.exponent = 22},
        Float{.exponent_bits = 7}, Float{.mantissa = 1},
        Float{.mantissa_bits = 22}, Float{.bias = 126}, Float{.bytes = 5},
        Float{.bytes = 8, .precision = 64}, half(8, 15)}) {
    expect_refusal({.type = format.type()},
                   str("expected numbers, bool or text, got floating point "
                       "elements of ",
                       format.bytes, " bytes"));
  }
}

TEST_F(HandmadeDatasetTest,
       FloatsThatMakeNoSenseAreRefusedWhereNobodyReadsThem) {
  const auto expect_refused = [&](const Float& format,
                                  const std::string& message) {
    const std::string refusal = "datatype message at 208: expected " + message;
    expect_refusal({.space = space_2(0, 2), .type = format.type()}, refusal);
  };
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      value({.space = space_2(0, 2), .type = Float{}.type()})));
  expect_refused({.bits = 31 << 8 | 0x30}, "normalization 0 to 2, got 3");
  for (const int version : {3, 4, 5}) {
    expect_refused({.version = version, .bits = 31 << 8 | 0x60},
                   "little-endian, big-endian or VAX numbers, got bit 6 "
                   "without bit 0");
  }
  const auto expect_outside = [&](const Float& format, const std::string& part,
                                  const std::string& bits) {
    expect_refused(format, part + " in the 32 bits of a number, got " + bits);
  };
  expect_outside({.offset = 1}, "all parts", "bits 1 to 32");
  expect_outside({.precision = 0}, "all parts", "none");
  expect_outside({.precision = 33}, "all parts", "bits 0 to 32");
  expect_outside({.bits = 32 << 8 | 0x20}, "a sign", "bits 32 to 32");
  expect_outside({.bits = 255 << 8 | 0x20}, "a sign", "bits 255 to 255");
  expect_outside({.exponent = 25}, "an exponent", "bits 25 to 32");
  expect_outside({.exponent_bits = 0}, "an exponent", "none");
  expect_outside({.exponent_bits = 10}, "an exponent", "bits 23 to 32");
  expect_outside({.mantissa = 255}, "a mantissa", "bits 255 to 277");
  expect_outside({.mantissa_bits = 0}, "a mantissa", "none");
  expect_outside({.mantissa_bits = 33}, "a mantissa", "bits 0 to 32");
}

TEST_F(HandmadeDatasetTest, OtherTypesAreNamed) {
  for (const auto& [type, name] :
       std::vector<std::pair<int, std::string>>{{2, "time"},
                                                {6, "compound"},
                                                {11, "complex"},
                                                {12, "unknown"},
                                                {15, "unknown"}}) {
    expect_refusal({.type = datatype(type, 0, 2, "")},
                   "got " + name + " elements of 2 bytes");
  }
  // A sequence that is no text.
  expect_refusal({.type = datatype(9, 0, 2, "")}, "got sequence elements");
}

// An enumeration of int8 with two members.
struct Enumeration {
  std::string base = integer(kSigned, 1);
  std::string first = "FALSE";
  std::string second = "TRUE";
  std::string values = number(0, 1) + number(1, 1);
  int version = 3;
  uint64_t members = 2;
  uint64_t bytes = 1;

  std::string type() const {
    return datatype(8, members, bytes,
                    base + padded(first) + padded(second) + values, version);
  }
  std::string padded(const std::string& name) const {
    std::string bytes = name + '\0';
    if (version < 3) bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return bytes;
  }
};

TEST_F(HandmadeDatasetTest, OnlyTheBoolOfPythonIsAnEnumerationWithADtype) {
  const std::string data = compact(number(1, 1) + number(0, 1));
  const std::string swapped = number(1, 1) + number(0, 1);
  for (const Enumeration& enumeration :
       {Enumeration{}, Enumeration{.version = 1}, Enumeration{.version = 2},
        // Names of all eight bytes that padding is for.
        Enumeration{.first = "TRUE", .second = "FALSE", .values = swapped}}) {
    expect_numbers({.type = enumeration.type(), .layout = data}, {1, 0},
                   Dtype::kBool);
  }
  for (const Enumeration& enumeration :
       {Enumeration{.members = 3}, Enumeration{.bytes = 2},
        Enumeration{.base = integer(0, 1)},
        Enumeration{.base = integer(kSigned, 2)},
        Enumeration{.base =
                        datatype(0, kSigned, 1, number(0, 2) + number(7, 2))},
        Enumeration{.base = Float{.bytes = 1}.type()},
        Enumeration{.first = "RED"}, Enumeration{.second = "BLUE"},
        Enumeration{.values = number(1, 1) + number(1, 1)},
        Enumeration{.values = number(0, 2)}, Enumeration{.values = swapped},
        Enumeration{.first = "TRUE", .second = "FALSE"},
        Enumeration{.first = "TRUE", .values = swapped},
        Enumeration{.first = "TRUE",
        .second = "FALSE",
        .values = number(2, 1) + number(0, 1)},
        Enumeration{.first = "RED", .second = "FALSE", .values = swapped}}) {
    expect_refusal({.type = enumeration.type(), .layout = data},
                   "got enum elements of");
  }
}

TEST_F(HandmadeDatasetTest, TextOfTheGlobalHeapHasItsLengthAndPlace) {
  const auto variable = [](uint64_t bytes) {
    return datatype(9, 1, bytes, integer(0, 1));
  };
  expect_refusal({.space = space_1({}),
                  .type = variable(4),
                  .layout = compact(number(0, 4))},
                 "expected text that the global heap has, got elements of 4");
  expect_refusal({.space = space_1({}),
                  .type = variable(16),
                  .layout = compact(number(1001, 4) + number(0, 12)),
                  .limits = {.array_bytes = 1000}},
                 "expected at most 1000 bytes, got a longer text");
  expect_refusal({.space = space_1({}),
                  .type = variable(16),
                  .layout = compact(number(5, 4) + number(0, 12))},
                 "expected an address of its text, got none");
}

TEST_F(HandmadeDatasetTest, TextOfVariableLengthHasCharactersOfOneByte) {
  // An empty text, which has no place in a heap.
  const auto parts = [](const std::string& character) {
    return Parts{.space = space_1({}),
                 .type = datatype(9, 1, 16, character),
                 .layout = compact(number(0, 16))};
  };
  for (const std::string& character :
       {integer(0, 1), integer(1, 1), integer(kSigned, 1),
        datatype(3, 0, 1, "")}) {
    EXPECT_EQ(text(parts(character)), "");
  }
  for (const auto& [character, actual] :
       std::vector<std::pair<std::string, std::string>>{
           {integer(0, 2), "integer elements of 2 bytes"},
           {datatype(0, 0, 1, number(0, 2) + number(7, 2)),
            "integer elements of 1 bytes"},
           {Float{}.type(), "floating point elements of 4 bytes"},
           {datatype(3, 0, 4, ""), "text elements of 4 bytes"},
           {datatype(9, 1, 16, integer(0, 1)), "sequence elements of 16 bytes"},
           {datatype(12, 0, 1, ""), "unknown elements of 1 bytes"}}) {
    expect_refusal(parts(character),
                   "expected text of characters of 1 byte, got " + actual);
  }
  expect_refusal(parts(datatype(0, 0, 1, number(0, 2) + number(8, 2), 0)),
                 "expected version 1 to 5, got 0");
  expect_refusal(parts(integer(0, 0)),
                 "expected elements of at least 1 byte, got 0");
}

TEST_F(HostileTest, DatatypesOfOtherVersionsAreRefused) {
  {
    Hdf5Sample file(path());
    file.add("x", H5T_STD_I16LE, {4});
  }
  const std::string good = read_file(path());
  const size_t at = good.find(std::string("\x10\x08\0\0\2\0\0\0", 8));
  ASSERT_NE(at, std::string::npos);
  for (const char head : {'\x00', '\x60', '\xf0'}) {
    std::string bytes = good;
    bytes[at] = head;
    expect_refusal(bytes, "expected version 1 to 5");
  }
}

}  // namespace
}  // namespace catena::serializers
