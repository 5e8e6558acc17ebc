// Every form of the messages with a dataset's layout, filters, fill value and
// attributes, put together by hand.

#include "catena/serializers/hdf5_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/crc32.h"
#include "catena/serializers/testing/hdf5_handmade.h"
#include "catena/serializers/testing/hdf5_handmade_dataset.h"

namespace catena::serializers {
namespace {

using handmade::compact;
using handmade::contiguous;
using handmade::datatype;
using handmade::Float;
using handmade::integer;
using handmade::kGzipLevel;
using handmade::kNone;
using handmade::kSmallOnes;
using handmade::message;
using handmade::number;
using handmade::Parts;
using handmade::space_1;
using handmade::space_2;

const std::string kHello = "hello";

TEST_F(HandmadeDatasetTest, ADatasetIsRead) { expect_numbers({}, {1, 2}); }

std::string old_layout(int version, int kind, const std::string& rest) {
  return number(static_cast<uint64_t>(version), 1) + number(1, 1) +
         number(static_cast<uint64_t>(kind), 1) + number(0, 5) + rest;
}

// libhdf5 has not written these since version 1.6.
TEST_F(HandmadeDatasetTest, OldLayoutsAreRead) {
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

TEST_F(HandmadeDatasetTest, OtherLayoutsAreRefused) {
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

std::string filter(int id, const std::string& rest) {
  return number(static_cast<uint64_t>(id), 2) + rest;
}

TEST_F(HandmadeDatasetTest, DataInOtherFilesIsRefusedWithoutElementsToo) {
  constexpr int kExternalFiles = 7;
  const std::string files = message(kExternalFiles, number(1, 8));
  for (const std::string& space : {space_1({2}), space_2(0, 2)}) {
    expect_refusal({.space = space, .more = files},
                   "expected data in this file, got data kept in another one");
  }
}

TEST_F(HandmadeDatasetTest, FiltersOfBothVersionsAreRead) {
  // Compact data has no chunks that they could be for.
  const std::string none = number(0, 4);             // flags and parameters
  const std::string old_none = number(0, 2) + none;  // and a name
  const std::string gzip = number(0, 2) + kGzipLevel;
  for (const std::string& filters :
       {number(1, 1) + number(1, 1) + number(0, 6) +
            filter(1, number(0, 2) + gzip + number(0, 4)),
        // A name with its padding, and one parameter with its own.
        number(1, 1) + number(2, 1) + number(0, 6) +
            filter(2, number(8, 2) + number(0, 2) + number(1, 2) +
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
  for (const uint64_t bytes : {1, 5, 7, 9}) {
    expect_filters(
        number(1, 1) + number(1, 1) + number(0, 6) +
            filter(3, number(bytes, 2) + none + std::string(16, '\0')),
        str("expected a name of a multiple of 8 bytes, got ", bytes));
  }
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
TEST_F(HandmadeDatasetTest, FillValuesOfEveryVersionAreRead) {
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

TEST_F(HandmadeDatasetTest, FillValuesOfAnotherSizeThanTheElementsAreRefused) {
  const auto expect_refused = [&](int type, const std::string& begin,
                                  const std::vector<uint64_t>& sizes) {
    for (const uint64_t bytes : sizes) {
      const std::string fill =
          message(type, begin + number(bytes, 4) + number(7, 8));
      const std::string refusal =
          str("expected a value of 2 bytes, got ", bytes);
      expect_refusal({.layout = contiguous(kNone, 4), .more = fill}, refusal);
      // Where no value is needed, too.
      expect_refusal({.more = fill}, "fill value message at 256: " + refusal);
      expect_refusal({.space = space_2(0, 2), .more = fill}, refusal);
    }
  };
  const std::vector<uint64_t> sizes = {1, 3, 4, 8, 1 << 20, UINT32_MAX - 1};
  expect_refused(4, "", {1, 4, UINT32_MAX});
  for (const uint64_t version : {1, 2}) {
    for (const uint64_t written : {0, 1, 2}) {
      expect_refused(
          5,
          number(version, 1) + number(1, 1) + number(written, 1) + number(1, 1),
          sizes);
    }
  }
  for (const uint64_t flags : {1 << 5, 1 << 5 | 1 << 2}) {
    expect_refused(5, number(3, 1) + number(flags, 1), {0, 1, 4, UINT32_MAX});
  }
}

TEST_F(HandmadeDatasetTest, FillValuesMayBeUndefined) {
  const auto parts = [](const std::string& fill) {
    return Parts{.layout = contiguous(kNone, 4), .more = message(5, fill)};
  };
  for (const uint64_t version : {1, 2}) {
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{UINT32_MAX}}) {
      expect_numbers(parts(number(version, 1) + number(1, 1) + number(2, 1) +
                           number(1, 1) + number(bytes, 4)),
                     {0, 0});
    }
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

TEST_F(HandmadeDatasetTest, ChecksumsOfTextAreReadFromEveryVersion) {
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

TEST_F(HandmadeDatasetTest, NamesOfAttributesHaveTheLengthThatTheMessageSays) {
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

TEST_F(HandmadeDatasetTest, ATextMayHaveNoAttributes) {
  EXPECT_EQ(text(text_with("")), "hello");
  constexpr int kAttributeInfo = 0x15;
  EXPECT_EQ(
      text(text_with(message(
          kAttributeInfo, number(0, 2) + number(kNone, 8) + number(kNone, 8)))),
      "hello");
}

TEST_F(HandmadeDatasetTest, ChecksumsThatAreNoNumberAreRefused) {
  const std::string type = integer(0, 4);
  const std::string sum = number(array::crc32_of(kHello), 4);
  for (const std::string& sums :
       {attribute(3, "crc32", Float{}.type(), space_1({}), sum),
        attribute(3, "crc32", datatype(3, 1, 4, ""), space_1({}), sum),
        attribute(3, "crc32", type, space_2(0, 2), sum),
        // Longer than what is there.
        attribute(3, "crc32", integer(0, 8), space_1({}), ""),
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

}  // namespace
}  // namespace catena::serializers
