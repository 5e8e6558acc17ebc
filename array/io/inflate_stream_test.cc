#include "catena/array/io/inflate_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using Format = InflateStream::Format;
using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr int64_t kMax = 1 << 20;

int window_bits(Format format) {
  if (format == Format::kRaw) return -MAX_WBITS;
  return format == Format::kZlib ? MAX_WBITS : MAX_WBITS + 16;
}

std::string deflated_as(const std::string& text, Format format,
                        const std::string& dictionary = "") {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits(format), 8,
               Z_DEFAULT_STRATEGY);
  if (!dictionary.empty()) {
    deflateSetDictionary(&stream,
                         reinterpret_cast<const Bytef*>(dictionary.data()),
                         static_cast<uInt>(dictionary.size()));
  }
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

// A stream over compressed bytes that has its source.
struct Inflated {
  explicit Inflated(const std::string& bytes, Format format = Format::kGzip,
                    int64_t max = kMax)
      : source(ByteSource::of_memory(bytes, "test")),
        stream(source, 0, source.size(), format, max, source.where()) {}

  std::string read(size_t size) {
    std::string text(size, '\0');
    text.resize(stream.read_some(text));
    return text;
  }

  ByteSource source;
  InflateStream stream;
};

void expect_error(const std::string& bytes, const std::string& message,
                  Format format = Format::kGzip, int64_t max = kMax) {
  EXPECT_THAT(
      error_of<IoError>([&] { Inflated(bytes, format, max).read(kMax + 1); }),
      HasSubstr("test: '<memory>': " + message));
}

TEST(InflateStreamTest, ReadsInPiecesOfAnySize) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * i);
  for (const Format format : {Format::kRaw, Format::kZlib, Format::kGzip}) {
    const std::string bytes = deflated_as(text, format);
    Inflated file(bytes, format);
    EXPECT_EQ(file.stream.remaining(), kMax);
    std::string all;
    for (size_t size = 1; !file.stream.at_end(); ++size) all += file.read(size);
    EXPECT_EQ(all, text);
    EXPECT_EQ(file.read(1), "");
    EXPECT_EQ(file.stream.remaining(),
              kMax - static_cast<int64_t>(text.size()));
    EXPECT_EQ(file.stream.unread(), 0);
  }
}

// All the input may be taken when the last bytes have no room yet.
TEST(InflateStreamTest, WhatIsLeftOfARunComesWithoutMoreInput) {
  for (size_t size = 300; size < 900; ++size) {
    const std::string zeros(size, '\0');
    const std::string bytes = deflated_as(zeros, Format::kRaw);
    for (const size_t last : {1, 100, 250}) {
      Inflated file(bytes, Format::kRaw);
      ASSERT_EQ(file.read(size - last).size(), size - last);
      ASSERT_EQ(file.read(last).size(), last) << size;
      ASSERT_TRUE(file.stream.at_end());
    }
  }
}

TEST(InflateStreamTest, BeginsAndEndsWhereItIsTold) {
  const std::string part = deflated_as("some text", Format::kZlib);
  const std::string front_and_back = "front" + part + "back";
  const auto whole = ByteSource::of_memory(front_and_back, "test");
  const auto bytes = static_cast<int64_t>(part.size());
  InflateStream stream(whole, 5, bytes + 2, Format::kZlib, kMax, "here");
  std::string text(9, '\0');
  stream.read(text);
  EXPECT_EQ(text, "some text");
  EXPECT_TRUE(stream.at_end());
  EXPECT_EQ(stream.unread(), 2);
  EXPECT_THAT(
      error_of<IoError>([&] { stream.read(text); }),
      HasSubstr("here: the compressed data is truncated: expected 9 more "
                "bytes from it, got 0"));
}

TEST(InflateStreamTest, TheEndMayBeAskedForAtAnyTime) {
  const std::string bytes = deflated_as("ab", Format::kGzip);
  Inflated file(bytes);
  EXPECT_FALSE(file.stream.at_end());
  EXPECT_FALSE(file.stream.at_end());
  EXPECT_EQ(file.read(0), "");
  EXPECT_FALSE(file.stream.at_end());
  EXPECT_EQ(file.read(3), "ab");
  EXPECT_TRUE(file.stream.at_end());
}

TEST(InflateStreamTest, TheRestMayBeSkipped) {
  const std::string bytes =
      deflated_as(std::string(10'000, 'x'), Format::kGzip);
  Inflated file(bytes);
  EXPECT_EQ(file.read(10).size(), 10);
  file.stream.skip_rest();
  EXPECT_TRUE(file.stream.at_end());
}

// What follows a member may have to be read first.
TEST(InflateStreamTest, AMemberMayEndWhereTheBufferDoes) {
  constexpr size_t kBuffer = 64 << 10;
  std::mt19937 random(1);
  std::string noise(kBuffer, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  std::string first;
  for (size_t size = kBuffer - 100; first.size() != kBuffer; ++size) {
    ASSERT_LE(size, kBuffer);
    first = deflated_as(noise.substr(0, size), Format::kGzip);
  }
  const std::string bytes = first + deflated_as("two", Format::kGzip);
  Inflated file(bytes);
  EXPECT_THAT(file.read(2 * kBuffer), ::testing::EndsWith("two"));
}

TEST(InflateStreamTest, GzipFilesMayFollowOneAnother) {
  const std::string one = deflated_as("one, ", Format::kGzip);
  const std::string two = deflated_as("two", Format::kGzip);
  EXPECT_EQ(Inflated(one + two).read(100), "one, two");
  expect_error(one + "two", "unexpected bytes after the gzip data");
}

TEST(InflateStreamTest, MoreBytesThanMayComeAreAnError) {
  const std::string bytes = deflated_as(std::string(1000, 'x'), Format::kGzip);
  EXPECT_EQ(Inflated(bytes, Format::kGzip, 1000).read(2000).size(), 1000);
  Inflated file(bytes, Format::kGzip, 999);
  file.read(900);
  EXPECT_THAT(error_of<IoError>([&] { file.stream.skip_rest(); }),
              HasSubstr("expected at most 99 more bytes from "
                        "the compressed data by its size and "
                        "the limits, got more"));
}

TEST(InflateStreamTest, DamageIsAnError) {
  for (const Format format : {Format::kRaw, Format::kZlib, Format::kGzip}) {
    const std::string bytes = deflated_as("some text", format);
    for (size_t size = 0; size < bytes.size(); ++size) {
      expect_error(
          bytes.substr(0, size),
          str("the compressed data is truncated: expected more of it after ",
              size, " bytes"),
          format);
    }
  }
  std::string sum = deflated_as("some text", Format::kGzip);
  sum[sum.size() - 8] ^= 1;
  expect_error(sum, str("the compressed data is damaged before offset ",
                        sum.size(), " (incorrect data check)"));
  expect_error(std::string(9, '\xff'),
               "the compressed data is damaged before offset 9 (invalid block "
               "type)",
               Format::kRaw);
  expect_error(deflated_as("some text", Format::kZlib, "some"),
               "the compressed data is damaged before offset 19 (it needs a "
               "dictionary)",
               Format::kZlib);
}

TEST(InflateStreamTest, LimitsBoundWhatMayCome) {
  const LoadLimits limits{.total_bytes = 500, .compression_ratio = 10};
  EXPECT_EQ(max_inflated(7, limits), 70);
  EXPECT_EQ(max_inflated(51, limits), 500);
  EXPECT_EQ(max_inflated(INT64_MAX, limits), 500);
}

}  // namespace
}  // namespace catena::array
