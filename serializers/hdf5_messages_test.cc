// Every form of the messages of a dataset's header, put together by hand.

#include "catena/serializers/hdf5_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/crc32.h"
#include "catena/serializers/hdf5_format.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using handmade::header;
using handmade::kNone;
using handmade::kRoot;
using handmade::link_to;
using handmade::message;
using handmade::number;
using ::testing::HasSubstr;

const std::string kHello = "hello";
const std::string kTwo = number(2, 8);
const std::string kSmallOnes = number(1, 2) + number(2, 2);  // 1 and 2

std::string space_1(const std::vector<uint64_t>& extents) {
  std::string body = number(1, 1) + number(extents.size(), 1) + number(0, 6);
  for (const uint64_t extent : extents) body += number(extent, 8);
  return body;
}
std::string space_2(int rank, int kind, const std::string& rest = "",
                    int flags = 0) {
  return number(2, 1) + number(static_cast<uint64_t>(rank), 1) +
         number(static_cast<uint64_t>(flags), 1) +
         number(static_cast<uint64_t>(kind), 1) + rest;
}

std::string datatype(int type, uint64_t bits, uint64_t bytes,
                     const std::string& properties, int version = 1) {
  return number(static_cast<uint64_t>(type | version << 4) | bits << 8, 4) +
         number(bytes, 4) + properties;
}
constexpr uint64_t kSigned = 1 << 3;
std::string integer(uint64_t bits, uint64_t bytes) {
  return datatype(0, bits, bytes, number(0, 2) + number(8 * bytes, 2));
}

std::string compact(const std::string& data) {
  return number(3, 1) + number(0, 1) + number(data.size(), 2) + data;
}
std::string contiguous(uint64_t address, uint64_t bytes) {
  return number(3, 1) + number(1, 1) + number(address, 8) + number(bytes, 8);
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

class Hdf5MessagesTest : public ::testing::Test {
 protected:
  // The root group, which has the dataset alone, takes this.
  static constexpr uint64_t kDataset = kRoot + 72;
  static uint64_t behind(const Parts& parts) {
    return kDataset + header(parts.messages()).size();
  }

  SerializedValue value(const Parts& parts) const {
    write_file(path(), handmade::file(header(link_to("x", kDataset)) +
                                      header(parts.messages()) + parts.behind));
    const auto entry = Hdf5Reader(path(), parts.limits).read("x");
    EXPECT_TRUE(entry.has_value());
    return entry.value_or(SerializedValue());
  }
  Array array(const Parts& parts) const {
    return std::get<Array>(value(parts));
  }
  std::string text(const Parts& parts) const {
    return std::get<std::string>(value(parts));
  }
  void expect_refusal(const Parts& parts, const std::string& message) const {
    EXPECT_THAT(error_of<IoError>([&] { value(parts); }), HasSubstr(message));
  }
  void expect_numbers(const Parts& parts, const NestedList& expected,
                      Dtype dtype = Dtype::kInt16) const {
    EXPECT_THAT(array(parts), IsArray(array::array(expected, dtype)));
  }

  std::string path() const { return folder_.file("handmade.h5"); }

 private:
  TempFolder folder_;
};

TEST_F(Hdf5MessagesTest, ADatasetIsRead) { expect_numbers({}, {1, 2}); }

TEST_F(Hdf5MessagesTest, DataspacesOfBothVersionsAreRead) {
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

TEST_F(Hdf5MessagesTest, ExtentsHaveLimits) {
  expect_refusal({.space = space_1({uint64_t{1} << 63})},
                 "expected extents below 2^63, got 9223372036854775808");
  expect_refusal({.space = space_1(std::vector<uint64_t>(9, 1))},
                 "expected at most 8 axes, got 9");
  expect_refusal({.space = space_1({uint64_t{1} << 62})}, "got a larger array");
}

TEST_F(Hdf5MessagesTest, IntegersOfWholeBytesAreNumbers) {
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

TEST_F(Hdf5MessagesTest, OnlyFloatsOfIeeeAndBFloat16AreNumbers) {
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

TEST_F(Hdf5MessagesTest, FloatsThatMakeNoSenseAreRefusedWhereNobodyReadsThem) {
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

TEST_F(Hdf5MessagesTest, OtherTypesAreNamed) {
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

TEST_F(Hdf5MessagesTest, OnlyTheBoolOfPythonIsAnEnumerationWithADtype) {
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
        Enumeration{.first = "RED", .second = "FALSE", .values = swapped}}) {
    expect_refusal({.type = enumeration.type(), .layout = data},
                   "got enum elements of");
  }
}

std::string old_layout(int version, int kind, const std::string& rest) {
  return number(static_cast<uint64_t>(version), 1) + number(1, 1) +
         number(static_cast<uint64_t>(kind), 1) + number(0, 5) + rest;
}

// libhdf5 has not written these since version 1.6.
TEST_F(Hdf5MessagesTest, OldLayoutsAreRead) {
  for (const int version : {1, 2}) {
    expect_numbers({.layout = old_layout(
                        version, 0, number(2, 4) + number(4, 4) + kSmallOnes)},
                   {1, 2});
    Parts parts = {.layout = old_layout(version, 1, number(0, 8 + 4)),
                   .behind = kSmallOnes};
    parts.layout =
        old_layout(version, 1, number(behind(parts), 8) + number(2, 4));
    expect_numbers(parts, {1, 2});
  }
}

TEST_F(Hdf5MessagesTest, OldLayoutsOfChunksAreRead) {
  const auto layout = [](uint64_t tree) {
    return number(1, 1) + number(2, 1) + number(2, 1) + number(0, 5) +
           number(tree, 8) + number(2, 4) + number(2, 4);
  };
  Parts parts = {.layout = layout(kNone)};
  const uint64_t tree = behind(parts);
  parts.layout = layout(tree);
  // A node with one chunk, which comes behind it.
  const std::string key = number(4, 4) + number(0, 4) + number(0, 16);
  const std::string end = number(0, 8) + number(2, 8) + number(0, 8);
  const uint64_t chunk = tree + 24 + key.size() + 8 + end.size();
  parts.behind = "TREE" + number(1, 1) + number(0, 1) + number(1, 2) +
                 number(kNone, 8) + number(kNone, 8) + key + number(chunk, 8) +
                 end + kSmallOnes;
  parts.behind.resize(2096, '\0');  // a node with room for more
  expect_numbers(parts, {1, 2});
  parts.layout = layout(kNone);
  expect_refusal(parts, "damaged chunk: expected 1 of them in the file, got 0");
}

TEST_F(Hdf5MessagesTest, OtherLayoutsAreRefused) {
  expect_refusal({.layout = number(6, 1)}, "or 5, got 6");
  expect_refusal({.layout = number(3, 1) + number(4, 1)},
                 "expected compact, contiguous or chunked data, got layout 4");
  expect_refusal({.layout = old_layout(1, 4, "")}, "got layout 4");
  expect_refusal({.layout = number(3, 1) + number(2, 1) + number(0, 9)},
                 "expected chunks of at least 1 axis, got none");
  expect_refusal({.layout = number(3, 1) + number(2, 1) + number(2, 1) +
                            number(0, 8) + number(0, 8)},
                 "expected chunks of extents above 0, got 0");
  const auto chunks = [](uint64_t bytes, const std::string& rest) {
    return number(4, 1) + number(2, 1) + number(0, 1) + number(2, 1) +
           number(bytes, 1) + rest;
  };
  for (const uint64_t bytes : {0, 9}) {
    expect_refusal({.layout = chunks(bytes, "")},
                   str("expected extents of 1 to 8 bytes, got ", bytes));
  }
  for (const uint64_t index : {0, 6}) {
    expect_refusal(
        {.layout = chunks(1, number(2, 1) + number(2, 1) + number(index, 1))},
        str("expected chunks of index 1 to 5, got ", index));
  }
}

TEST_F(Hdf5MessagesTest, ChunksThatDoNotSuitTheDatasetAreRefused) {
  const auto layout = [](const std::vector<uint64_t>& extents) {
    std::string body = number(3, 1) + number(2, 1) + number(extents.size(), 1) +
                       number(kNone, 8);
    for (const uint64_t extent : extents) body += number(extent, 4);
    return body;
  };
  expect_refusal({.layout = layout({2, 2, 2})},
                 "damaged chunk: expected 1 axes, got 2");
  expect_refusal({.space = space_1({}), .layout = layout({2})},
                 "damaged chunk: expected 0 axes, got 0");
  expect_refusal({.layout = layout({2, 4})},
                 "damaged chunk: expected elements of 2 bytes, got 4");
}

// One chunk, which its layout says all about.
std::string single_chunk(uint64_t extent, uint64_t address, uint64_t bytes,
                         uint32_t mask, int flags = 0) {
  constexpr int kSingleChunkHasFilters = 1 << 1;
  return number(4, 1) + number(2, 1) +
         number(static_cast<uint64_t>(flags | kSingleChunkHasFilters), 1) +
         number(2, 1) + number(1, 1) + number(extent, 1) + number(2, 1) +
         number(1, 1) + number(bytes, 8) + number(mask, 4) + number(address, 8);
}

// The number of parameters of deflate, and its level.
const std::string kLevel = number(1, 2) + number(6, 4);

// A filter pipeline of version 2 whose filters have no other parameters.
std::string filters_2(const std::vector<std::pair<int, int>>& ids_and_flags) {
  std::string body = number(2, 1) + number(ids_and_flags.size(), 1);
  for (const auto& [id, flags] : ids_and_flags) {
    body += number(static_cast<uint64_t>(id), 2) +
            number(static_cast<uint64_t>(flags), 2) +
            (id == 1 ? kLevel : number(0, 2));
  }
  return message(11, body);
}

TEST_F(Hdf5MessagesTest, AChunkThatSkipsASumHasNone) {
  // Deflate's own frame around the four bytes, as they are.
  const std::string stored = "\x78\x01" + number(1, 1) + number(4, 2) +
                             number(0xffff - 4, 2) + kSmallOnes +
                             std::string("\0\x0c\0\x04", 4);
  Parts parts = {.layout = single_chunk(2, 0, stored.size(), 1 << 0),
                 .more = filters_2({{3, 1}, {1, 0}}),
                 .behind = stored};
  parts.layout = single_chunk(2, behind(parts), stored.size(), 1 << 0);
  expect_numbers(parts, {1, 2});
  // A filter that is not optional.
  parts.more = filters_2({{3, 0}, {1, 0}});
  expect_refusal(parts,
                 "expected every filter that is not optional, got no filter 3");
}

TEST_F(Hdf5MessagesTest, AChunkWithoutFiltersHasTheBytesOfItsElements) {
  Parts parts = {.layout = single_chunk(2, 0, 3, 0), .behind = kSmallOnes};
  parts.layout = single_chunk(2, behind(parts), 3, 0);
  expect_refusal(parts, "damaged chunk: expected 4 bytes, got 3");
  parts.layout = single_chunk(2, behind(parts), 4, 0);
  expect_numbers(parts, {1, 2});
  // One that reaches beyond the array, where filters are left out.
  constexpr int kEdgesAreUnfiltered = 1 << 0;
  parts.more = filters_2({{3, 0}});
  parts.behind = kSmallOnes + number(0, 4);
  parts.layout = single_chunk(3, behind(parts), 7, 0, kEdgesAreUnfiltered);
  expect_refusal(parts, "damaged chunk: expected 6 bytes, got 7");
  parts.layout = single_chunk(3, behind(parts), 6, 0, kEdgesAreUnfiltered);
  expect_numbers(parts, {1, 2});
}

// Chunks that stand one after the other, and have no index.
std::string implicit_chunks(int axes, uint64_t address) {
  std::string body = number(4, 1) + number(2, 1) + number(0, 1) +
                     number(static_cast<uint64_t>(axes) + 1, 1) + number(1, 1);
  for (int i = 0; i < axes; ++i) body += number(1, 1);
  return body + number(2, 1) + number(2, 1) + number(address, 8);
}

TEST_F(Hdf5MessagesTest, ChunksWhosePlaceIsBeyond64BitsAreRefused) {
  const auto space = [](const std::vector<uint64_t>& largest) {
    std::string body;
    for (size_t i = 0; i < largest.size(); ++i)
      body += number(i == 0 ? 2 : 1, 8);
    for (const uint64_t extent : largest) body += number(extent, 8);
    return space_2(static_cast<int>(largest.size()), 1, body, 1);
  };
  Parts parts = {.layout = implicit_chunks(1, 0), .behind = kSmallOnes};
  parts.layout = implicit_chunks(1, behind(parts));
  expect_numbers(parts, {1, 2});
  const auto expect_refused = [&](const std::vector<uint64_t>& largest,
                                  const std::string& message) {
    Parts wide = {.space = space(largest), .behind = std::string(64, '\0')};
    const auto axes = static_cast<int>(largest.size());
    wide.layout = implicit_chunks(axes, 0);
    wide.layout = implicit_chunks(axes, behind(wide));
    expect_refusal(wide, message);
  };
  const std::string many = "expected fewer chunks, got more than 2^64";
  expect_refused({2, uint64_t{1} << 40, uint64_t{1} << 40}, many);
  const std::string far = "chunks in the file, got one beyond its end";
  expect_refused({2, uint64_t{1} << 63}, far);
  expect_refused({2, (uint64_t{1} << 63) - 1}, far);
  parts.more = filters_2({{3, 0}});
  expect_refusal(parts, "expected chunks without filters, got filters");
}

TEST_F(Hdf5MessagesTest, AFileIsReadWithinItsBounds) {
  value({});
  const hdf5::File file(path(), {});
  std::string bytes(2, '\0');
  EXPECT_THAT(error_of<IoError>([&] { file.read(file.end() - 1, bytes); }),
              HasSubstr(str("expected 2 bytes at ", file.end() - 1,
                            ", got a file that ends at ", file.end())));
  hdf5::Walk walk(file, "here");
  hdf5::Cursor cursor(walk, "structure", 8);
  cursor.skip(4);
  EXPECT_EQ(cursor.part_before("part", 1, 3).left(), 3u);
  const auto expect_no_part = [&](uint64_t begin, uint64_t count) {
    EXPECT_THAT(
        error_of<IoError>([&] { cursor.part_before("part", begin, count); }),
        HasSubstr(str("here: structure at 8: expected part inside, of ", count,
                      " bytes at ", begin, ", got only 4 bytes")));
  };
  expect_no_part(0, 5);
  expect_no_part(2, 3);
}

TEST_F(Hdf5MessagesTest, KeysThatNameNothingAreMissing) {
  value({});
  const Hdf5Reader reader(path());
  for (const std::string& key :
       {std::string(), std::string("/x"), std::string("x/"), std::string("."),
        std::string("../x"), std::string("x\0", 2), std::string("y")}) {
    EXPECT_FALSE(reader.read(key).has_value()) << key;
  }
}

TEST_F(Hdf5MessagesTest, DataThatIsTooShortIsRefused) {
  expect_refusal({.layout = compact(number(1, 3))},
                 "expected 4 bytes of data, got 3");
  expect_refusal({.layout = contiguous(kRoot, 3)},
                 "expected 4 bytes of data, got 3");
  expect_refusal({.layout = contiguous(1 << 20, 4)},
                 "expected 4 bytes of data at 1048576, got a file that ends");
}

TEST_F(Hdf5MessagesTest, DataInOtherFilesIsRefused) {
  expect_refusal({.more = message(7, number(0, 8))}, "data in this file");
  expect_refusal({.layout = number(4, 1) + number(3, 1)}, "data in this file");
}

std::string filter(int id, const std::string& rest) {
  return number(static_cast<uint64_t>(id), 2) + rest;
}

TEST_F(Hdf5MessagesTest, FiltersOfBothVersionsAreRead) {
  // Compact data has no chunks that they could be for.
  const std::string none = number(0, 4);             // flags and parameters
  const std::string old_none = number(0, 2) + none;  // and a name
  const std::string gzip = number(0, 2) + kLevel;
  for (const std::string& filters :
       {number(1, 1) + number(1, 1) + number(0, 6) +
            filter(1, number(0, 2) + gzip + number(0, 4)),
        // A name with its padding, and one parameter with its own.
        number(1, 1) + number(2, 1) + number(0, 6) +
            filter(2, number(5, 2) + number(0, 2) + number(1, 2) +
                          std::string("name\0\0\0\0", 8) + number(2, 4) +
                          number(0, 4)) +
            filter(3, old_none),
        number(2, 1) + number(2, 1) +
            filter(2, number(0, 2) + number(1, 2) + number(2, 4)) +
            filter(1, gzip)}) {
    expect_numbers({.more = message(11, filters)}, {1, 2});
  }
  const auto expect_filters = [&](const std::string& filters,
                                  const std::string& refusal) {
    expect_refusal({.more = message(11, filters)}, refusal);
  };
  expect_filters(number(3, 1) + number(0, 1), "version 1 or 2, got 3");
  expect_filters(number(2, 1) + number(33, 1),
                 "expected at most 32 filters, got 33");
  const std::string two = number(2, 1) + number(2, 1);
  const std::string one = number(2, 1) + number(1, 1);
  expect_filters(two + filter(1, gzip) + filter(1, gzip),
                 "expected one gzip filter, got two");
  expect_filters(one + filter(2, none), "a shuffle filter with the bytes");
  expect_filters(one + filter(2, number(0, 2) + number(1, 2) + number(0, 4)),
                 "a shuffle filter with the bytes");
  for (const auto& [id, name] :
       std::vector<std::pair<int, std::string>>{{4, "4 (szip)"},
                                                {5, "5 (nbit)"},
                                                {6, "6 (scaleoffset)"},
                                                {7, "7"},
                                                {255, "255"}}) {
    expect_filters(one + filter(id, none), "got filter " + name);
  }
  // Those of others have a name.
  for (const auto& [id, name] : std::vector<std::pair<int, std::string>>{
           {256, "256"}, {32000, "32000 (LZF)"}, {32001, "32001 (Blosc)"}}) {
    expect_filters(one + filter(id, number(4, 2) + none + "name"),
                   "got filter " + name);
  }
}

// Data that was never written has the value that this says.
TEST_F(Hdf5MessagesTest, FillValuesOfEveryVersionAreRead) {
  const std::string seven = number(2, 4) + number(7, 2);
  const auto expect_filled = [&](int type, const std::string& body, int value) {
    expect_numbers(
        {.layout = contiguous(kNone, 4), .more = message(type, body)},
        {value, value});
  };
  // The versions before 3: when space is taken, when the value is written,
  // whether there is one.
  for (const uint64_t version : {1, 2}) {
    const std::string begin = number(version, 1) + number(1, 1);
    expect_filled(5, begin + number(2, 1) + number(1, 1) + seven, 7);
    expect_filled(5, begin + number(2, 1) + number(0, 1), 0);
    expect_filled(5, begin + number(1, 1) + number(1, 1) + seven, 0);
  }
  expect_filled(5, number(3, 1) + number(1 << 5, 1) + seven, 7);
  expect_filled(5, number(3, 1) + number(1 << 5 | 1 << 2, 1) + seven, 0);
  expect_filled(5, number(3, 1) + number(0, 1), 0);
  expect_filled(4, seven, 7);
  expect_filled(4, number(0, 4), 0);
  expect_refusal({.more = message(5, number(4, 1))},
                 "expected version 1 or 2 or 3, got 4");
}

TEST_F(Hdf5MessagesTest, FillValuesOfAnotherSizeThanTheElementsAreRefused) {
  const auto expect_refused = [&](int type, const std::string& begin,
                                  const std::vector<uint64_t>& sizes) {
    for (const uint64_t bytes : sizes) {
      const std::string fill =
          message(type, begin + number(bytes, 4) + number(7, 8));
      const std::string refusal =
          str("expected a value of 0 or 2 bytes, got ", bytes);
      expect_refusal({.layout = contiguous(kNone, 4), .more = fill}, refusal);
      // Where no value is needed, too.
      expect_refusal({.more = fill}, "fill value message at 256: " + refusal);
      expect_refusal({.space = space_2(0, 2), .more = fill}, refusal);
    }
  };
  const std::vector<uint64_t> sizes = {1, 3, 4, 8, 1 << 20, UINT32_MAX - 1};
  const std::vector<uint64_t> unsigned_sizes = {1, 4, UINT32_MAX};
  expect_refused(4, "", unsigned_sizes);
  for (const uint64_t version : {1, 2}) {
    for (const uint64_t written : {0, 1, 2}) {
      expect_refused(
          5,
          number(version, 1) + number(1, 1) + number(written, 1) + number(1, 1),
          sizes);
    }
  }
  for (const uint64_t flags : {1 << 5, 1 << 5 | 1 << 2}) {
    expect_refused(5, number(3, 1) + number(flags, 1), unsigned_sizes);
  }
}

TEST_F(Hdf5MessagesTest, FillValuesMayBeUndefined) {
  const auto parts = [](const std::string& fill) {
    return Parts{.layout = contiguous(kNone, 4), .more = message(5, fill)};
  };
  for (const uint64_t version : {1, 2}) {
    expect_numbers(parts(number(version, 1) + number(1, 1) + number(2, 1) +
                         number(1, 1) + number(UINT32_MAX, 4)),
                   {0, 0});
  }
  const auto with_flags = [&](uint64_t flags) {
    return parts(number(3, 1) + number(flags, 1) + number(2, 4) + number(7, 2));
  };
  expect_numbers(with_flags(1 << 4), {0, 0});
  expect_refusal(with_flags(1 << 4 | 1 << 5),
                 "expected an undefined value or one that is there, got both");
  expect_refusal(with_flags(1 << 6),
                 "expected flags that the format has, got 64");
}

// A text of five bytes, and a message with an attribute of it.
std::string attribute(int version, const std::string& name,
                      const std::string& type, const std::string& space,
                      const std::string& data, int flags = 0) {
  const auto part = [&](std::string bytes) {
    if (version == 1) bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return bytes;
  };
  return message(12, number(static_cast<uint64_t>(version), 1) +
                         number(static_cast<uint64_t>(flags), 1) +
                         number(name.size() + 1, 2) + number(type.size(), 2) +
                         number(space.size(), 2) +
                         (version == 3 ? number(0, 1) : "") +
                         part(name + '\0') + part(type) + part(space) + data);
}

Parts text_with(const std::string& attributes) {
  return {.space = space_1({}),
          .type = datatype(3, 1, 5, ""),
          .layout = compact(kHello),
          .more = attributes};
}

TEST_F(Hdf5MessagesTest, ChecksumsOfTextAreReadFromEveryVersion) {
  const uint64_t sum = array::crc32_of(kHello);
  const std::string type = integer(0, 4);
  for (const int version : {1, 2, 3}) {
    for (const std::string& space :
         {space_1({}), space_1({1}), space_1({1, 1})}) {
      const auto with_sum = [&](uint64_t number_in_file) {
        return text_with(
            attribute(version, "other", type, space, number(9, 4)) +
            attribute(version, "crc32", type, space,
                      number(number_in_file, 4)));
      };
      EXPECT_EQ(text(with_sum(sum)), "hello");
      expect_refusal(with_sum(9),
                     str("expected text with checksum 9, got ", sum));
    }
  }
  // Big endian.
  std::string reversed = number(sum, 4);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(text(text_with(
                attribute(3, "crc32", integer(1, 4), space_1({}), reversed))),
            "hello");
}

TEST_F(Hdf5MessagesTest, NamesOfAttributesHaveTheLengthThatTheMessageSays) {
  constexpr size_t kLength = 8 + 2;  // its place in the message
  const std::string type = integer(0, 4);
  const std::string sum = number(array::crc32_of(kHello), 4);
  for (const int version : {1, 2, 3}) {
    for (const char* name : {"other", "crc32"}) {
      const auto with_length = [&](uint64_t bytes) {
        return text_with(attribute(version, name, type, space_1({}), sum)
                             .replace(kLength, 2, number(bytes, 2)));
      };
      EXPECT_EQ(text(with_length(6)), "hello");
      for (const uint64_t bytes : {7, 8}) {
        expect_refusal(with_length(bytes), str("expected a name of ", bytes,
                                               " bytes with its zero, got 6"));
      }
      expect_refusal(with_length(5),
                     version == 1
                         ? "expected a name of 5 bytes with its zero, got 6"
                         : "expected 1 more bytes, got 0");
      expect_refusal(with_length(0), "expected 1 more bytes, got 0");
      expect_refusal(with_length(999), "more bytes, got ");
    }
  }
}

TEST_F(Hdf5MessagesTest, ATextMayHaveNoAttributes) {
  EXPECT_EQ(text(text_with("")), "hello");
  constexpr int kAttributeInfo = 0x15;
  EXPECT_EQ(
      text(text_with(message(
          kAttributeInfo, number(0, 2) + number(kNone, 8) + number(kNone, 8)))),
      "hello");
}

TEST_F(Hdf5MessagesTest, ChecksumsThatAreNoNumberAreRefused) {
  const std::string type = integer(0, 4);
  const std::string sum = number(array::crc32_of(kHello), 4);
  for (const std::string& sums :
       {attribute(3, "crc32", Float{}.type(), space_1({}), sum),
        attribute(3, "crc32", datatype(3, 1, 4, ""), space_1({}), sum),
        attribute(3, "crc32", type, space_2(0, 2), sum),
        attribute(3, "crc32", type, space_1({2}), sum + sum)}) {
    expect_refusal(text_with(sums),
                   "expected a number as checksum, got something else");
  }
  expect_refusal(text_with(attribute(4, "crc32", type, space_1({}), sum)),
                 "expected version 1 or 2 or 3, got 4");
  for (const int version : {2, 3}) {
    expect_refusal(
        text_with(attribute(version, "crc32", type, space_1({}), sum, 1)),
        "expected an attribute with a type of its own");
  }
  // The first version has no such flag.
  EXPECT_EQ(text(text_with(attribute(1, "crc32", type, space_1({}), sum, 1))),
            "hello");
}

constexpr int kShared = 1 << 1;

TEST_F(Hdf5MessagesTest, CommittedTypesAreReadFromTheirHeader) {
  const auto shared = [](int version, int place, uint64_t address) {
    return number(static_cast<uint64_t>(version), 1) +
           number(static_cast<uint64_t>(place), 1) + number(address, 8);
  };
  Parts parts = {.type = shared(3, 2, 0),
                 .behind = header(message(3, integer(kSigned, 2))),
                 .type_flags = kShared};
  const uint64_t committed = behind(parts);
  for (const auto& [version, place] : {std::pair{2, 0}, {2, 1}, {3, 2}}) {
    parts.type = shared(version, place, committed);
    expect_numbers(parts, {1, 2});
  }
  parts.type = shared(3, 1, committed);
  expect_refusal(parts, "one that is shared with other objects");
  parts.type = shared(1, 0, committed);
  expect_refusal(parts, "expected version 2 or 3, got 1");
  parts.type = shared(3, 2, committed);
  for (const std::string& other :
       {message(1, space_1({})),
        message(3, shared(3, 2, committed), kShared)}) {
    parts.behind = header(other);
    expect_refusal(parts, "expected the header of a committed datatype");
  }
  // Only types may be shared.
  expect_refusal({.more = message(11, shared(3, 2, committed), kShared)},
                 "one that is shared with other objects");
}

TEST_F(Hdf5MessagesTest, MessagesThatMustBeKnownAreRefused) {
  constexpr int kMustBeKnown = 1 << 7;
  expect_numbers({.more = message(0x20, "") + message(0x18, "", kMustBeKnown)},
                 {1, 2});
  expect_refusal({.more = message(0x20, "", kMustBeKnown)},
                 "expected messages that may be ignored, got one of type 32");
}

TEST_F(Hdf5MessagesTest, TextOfTheGlobalHeapHasItsLengthAndPlace) {
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
}

TEST_F(Hdf5MessagesTest, TextOfVariableLengthHasCharactersOfOneByte) {
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

}  // namespace
}  // namespace catena::serializers
