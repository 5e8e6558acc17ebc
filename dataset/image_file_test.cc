#include "catena/dataset/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/dataset/image_decoders.h"
#include "catena/dataset/testing/encoded_images.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::dataset {
namespace {

using array::array;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::jpeg_file;
using testing::JpegKind;
using testing::png_chunk;
using testing::png_file;
using testing::PngColor;
using testing::PngImage;

Array decode(const std::string& bytes,
             ImageColor color = ImageColor::kAsInFile) {
  return decode_image(bytes, "x", {.color = color});
}

Array uint8(const NestedList& values) { return array(values, Dtype::kUInt8); }

void expect_error(const std::string& bytes, const std::string& message,
                  const LoadLimits& limits = {}) {
  EXPECT_THAT(
      error_of<IoError>([&] { decode_image(bytes, "x", {.limits = limits}); }),
      AllOf(HasSubstr("decode_image: 'x': "), HasSubstr(message)));
}

const PngImage kGray = {.width = 3, .height = 2, .lines = {"\1\2\3", "\4\5\6"}};
const PngImage kColor = {.width = 2,
                         .height = 1,
                         .color = PngColor::kRgb,
                         .lines = {"\xff\1\2\3\4\5"}};

TEST(PngTest, ComesWithTheChannelsOfTheFile) {
  EXPECT_THAT(decode(png_file(kGray)), IsArray(uint8({{1, 2, 3}, {4, 5, 6}})));
  EXPECT_THAT(decode(png_file(kColor)),
              IsArray(uint8({{{255, 1, 2}, {3, 4, 5}}})));
  EXPECT_THAT(decode(png_file({.width = 1,
                               .height = 2,
                               .color = PngColor::kGrayAlpha,
                               .lines = {"\7\x80", "\x09\xff"}})),
              IsArray(uint8({{{7, 128}}, {{9, 255}}})));
  EXPECT_THAT(decode(png_file({.width = 1,
                               .height = 1,
                               .color = PngColor::kRgba,
                               .lines = {"\1\2\3\4"}})),
              IsArray(uint8({{{1, 2, 3, 4}}})));
}

TEST(PngTest, FewBitsOfGrayAreScaledUp) {
  EXPECT_THAT(decode(png_file(
                  {.width = 3, .height = 1, .depth = 1, .lines = {"\xa0"}})),
              IsArray(uint8({{255, 0, 255}})));
  EXPECT_THAT(decode(png_file(
                  {.width = 4, .height = 1, .depth = 2, .lines = {"\x1b"}})),
              IsArray(uint8({{0, 85, 170, 255}})));
}

TEST(PngTest, SixteenBitsAreKeptOfGrayAlone) {
  const std::string gray = png_file(
      {.width = 2, .height = 1, .depth = 16, .lines = {"\x12\x34\xff\xfe"}});
  EXPECT_THAT(decode(gray), IsArray(array({{0x1234, 0xfffe}}, Dtype::kUInt16)));
  EXPECT_THAT(decode(gray, ImageColor::kGray), IsArray(uint8({{0x12, 0xff}})));
  EXPECT_THAT(decode(png_file({.width = 1,
                               .height = 1,
                               .color = PngColor::kRgb,
                               .depth = 16,
                               .lines = {"\x12\x34\x56\x78\x9a\xbc"}})),
              IsArray(uint8({{{0x12, 0x56, 0x9a}}})));
}

TEST(PngTest, PalettesBecomeColorsWithoutTransparency) {
  const PngImage image = {
      .width = 4,
      .height = 1,
      .color = PngColor::kPalette,
      .depth = 2,
      .lines = {"\x18"},
      .more_chunks =
          png_chunk("PLTE", "\1\2\3\4\5\6\7\7\7") + png_chunk("tRNS", "\1\2")};
  EXPECT_THAT(decode(png_file(image)),
              IsArray(uint8({{{1, 2, 3}, {4, 5, 6}, {7, 7, 7}, {1, 2, 3}}})));
}

TEST(PngTest, AColorThatCountsAsTransparentIsKept) {
  PngImage image = kGray;
  image.more_chunks = png_chunk("tRNS", std::string("\0\2", 2));
  EXPECT_THAT(decode(png_file(image)), IsArray(uint8({{1, 2, 3}, {4, 5, 6}})));
}

TEST(PngTest, ReadsInterlacedFiles) {
  // With 2 x 2 pixels, Adam7's passes 1, 6 and 7 are not empty.
  EXPECT_THAT(decode(png_file({.width = 2,
                               .height = 2,
                               .interlaced = true,
                               .lines = {"\1", "\2", "\3\4"}})),
              IsArray(uint8({{1, 2}, {3, 4}})));
}

TEST(PngTest, DamageIsAnError) {
  const std::string good = png_file(kGray);
  testing::expect_truncations_are_refused(
      good, [](const std::string& bytes) { decode(bytes); });
  std::string wrong_crc = good;
  wrong_crc[good.size() - 14] ^= 1;  // in the checksum of the pixels
  expect_error(wrong_crc, "damaged PNG: ");
  expect_error(good.substr(0, 50), "damaged PNG: the file is truncated");
  PngImage few = kGray;
  few.lines.pop_back();
  expect_error(png_file(few), "damaged PNG: ");
  PngImage empty = kGray;
  empty.width = 0;
  expect_error(png_file(empty), "damaged PNG: ");
}

TEST(PngTest, HugeImagesAreRefusedBeforeTheyAreAllocated) {
  PngImage huge = kColor;
  huge.width = 0x7fffffff;
  huge.height = 0x7fffffff;
  expect_error(png_file(huge), "got an image of 2147483647 x 2147483647");
  huge.width = 1 << 15;
  huge.height = 1 << 15;
  expect_error(png_file(huge), "got an image of 32768 x 32768");
  expect_error(png_file(kGray), "expected at most 5 bytes of pixels",
               {.array_bytes = 5});
}

TEST(ImageSizeTest, ImagesOfAnySizeAreCheckedWithoutOverflow) {
  constexpr int64_t kLargest = 0x7fffffff;
  const std::vector<unsigned char> bytes(100);
  // Without a limit to what a file of so many bytes may hold.
  const EncodedImage image = {.bytes = bytes,
                              .where = "here",
                              .limits = {.compression_ratio = INT64_MAX}};
  const auto expect_no_image = [&](const StoredImageSize& size) {
    EXPECT_THAT(error_of<IoError>([&] { check_image_size(image, size); }),
                HasSubstr("here: expected at most "));
  };
  check_image_size(
      image,
      {.width = 1000, .height = 1000, .stored_bits = 8, .result_bytes = 1});
  expect_no_image(
      {.width = 0, .height = 1, .stored_bits = 8, .result_bytes = 1});
  expect_no_image(
      {.width = 1, .height = 0, .stored_bits = 8, .result_bytes = 1});
  expect_no_image({.width = kLargest,
                   .height = kLargest,
                   .stored_bits = 64,
                   .result_bytes = 4});
  // Only the result overflows.
  expect_no_image({.width = kLargest,
                   .height = kLargest,
                   .stored_bits = 1,
                   .result_bytes = 4});
}

// A gradient, which JPEG preserves well, with partial blocks at the edges.
Array smooth(int64_t channels) {
  const Array image =
      array::empty({20, 19, channels}, Dtype::kUInt8, native_device());
  for (int64_t i = 0; i < image.size(); ++i) {
    const int64_t pixel = i / channels;
    const int64_t value =
        60 + 5 * (pixel / 19) + 3 * (pixel % 19) - 30 * (i % channels);
    image.data<uint8_t>()[i] = static_cast<uint8_t>(value);
  }
  return image;
}

// Compares with `expected`, of any dtype, within a few of 255 levels.
void expect_nearly(const Array& actual, const Array& expected) {
  ASSERT_EQ(actual.dtype(), Dtype::kUInt8);
  EXPECT_THAT(
      actual.astype(Dtype::kFloat64),
      IsClose(expected.astype(Dtype::kFloat64), {.rtol = 0, .atol = 6}));
}

TEST(JpegTest, ComesWithTheChannelsOfTheFile) {
  expect_nearly(decode(jpeg_file(smooth(1))), smooth(1).reshape({20, 19}));
  expect_nearly(decode(jpeg_file(smooth(3))), smooth(3));
  expect_nearly(decode(jpeg_file(smooth(4))), smooth(4));
  expect_nearly(decode(jpeg_file(smooth(3), JpegKind::kProgressive)),
                smooth(3));
}

TEST(JpegTest, DamageIsAnError) {
  for (const JpegKind kind : {JpegKind::kBaseline, JpegKind::kProgressive}) {
    testing::expect_truncations_are_refused(
        jpeg_file(smooth(3), kind),
        [](const std::string& bytes) { decode(bytes); });
  }
  expect_error(jpeg_file(smooth(1)).substr(0, 200),
               "damaged JPEG: the file is truncated");
  const std::string good = jpeg_file(smooth(1));
  // The end comes in the middle of the pixels.
  expect_error(good.substr(0, good.size() - 20) + "\xff\xd9", "damaged JPEG: ");
}

TEST(JpegTest, HugeImagesAreRefusedBeforeTheyAreAllocated) {
  std::string bytes = jpeg_file(smooth(3));
  const size_t frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  bytes.replace(frame + 5, 4, "\xff\xdc\xff\xdc");  // height and width
  expect_error(bytes, "got an image of 65500 x 65500");
  expect_error(jpeg_file(smooth(1)), "expected at most 379 bytes of pixels",
               {.array_bytes = 379});
}

TEST(JpegTest, MorePassesThanAnyPhotographHasAreRefused) {
  const std::string bytes = jpeg_file(smooth(1), JpegKind::kProgressive);
  // Repeats the first scan, between its header and the next tables.
  const size_t first = bytes.find("\xff\xda");
  const size_t next = bytes.find("\xff\xc4", first);
  std::string many = bytes.substr(0, first);
  for (int i = 0; i < 200; ++i) many += bytes.substr(first, next - first);
  expect_error(many + "\xff\xd9", "it has too many scans");
}

TEST(ImageColorTest, IsConvertedAsPillowDoes) {
  // Pillow: Image.convert("L") and Image.convert("RGB").
  EXPECT_THAT(decode(png_file(kColor), ImageColor::kGray),
              IsArray(uint8({{77, 4}})));
  EXPECT_THAT(decode(png_file(kColor), ImageColor::kRgb),
              IsArray(uint8({{{255, 1, 2}, {3, 4, 5}}})));
  EXPECT_THAT(decode(png_file(kGray), ImageColor::kRgb)[1],
              IsArray(uint8({{4, 4, 4}, {5, 5, 5}, {6, 6, 6}})));
  const std::string transparent = png_file({.width = 1,
                                            .height = 1,
                                            .color = PngColor::kRgba,
                                            .lines = {"\x64\x96\xc8\4"}});
  EXPECT_THAT(decode(transparent, ImageColor::kRgb),
              IsArray(uint8({{{100, 150, 200}}})));
  EXPECT_THAT(decode(transparent, ImageColor::kGray), IsArray(uint8({{141}})));
}

TEST(ImageColorTest, InksBecomeLight) {
  const Array inks = array::zeros({8, 8, 4}, Dtype::kUInt8, native_device());
  inks[{Slice(), Slice(), 0}].fill(51);
  inks[{Slice(), Slice(), 3}].fill(100);
  // Black leaves 155 of 255, and cyan reduces red by a fifth of that.
  const Array expected = array::full({8, 8, 3}, 155.0);
  expected[{Slice(), Slice(), 0}].fill(124.0);
  expect_nearly(decode(jpeg_file(inks), ImageColor::kRgb), expected);
}

TEST(ReadImageTest, TellsTheFormatByTheContent) {
  const testing::TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    testing::write_file(folder.file(name), bytes);
    return folder.file(name);
  };
  EXPECT_THAT(read_image(write("a.jpg", png_file(kGray))),
              IsArray(uint8({{1, 2, 3}, {4, 5, 6}})));
  EXPECT_EQ(read_image(write("b", jpeg_file(smooth(3)))).shape(),
            (Shape{20, 19, 3}));
  const std::string missing = folder.file("missing.png");
  EXPECT_THAT(error_of<IoError>([&] { read_image(missing); }),
              HasSubstr("read_image: '" + missing));
  const std::string other = write("c.png", "GIF89a...");
  EXPECT_THAT(
      error_of<IoError>([&] { read_image(other); }),
      HasSubstr("expected a PNG or JPEG image, got a file that begins with "
                "'GIF89a..'"));
  EXPECT_THROW(read_image(write("empty", "")), IoError);
}

TEST(ReadImageTest, MutatedFilesNeverCrash) {
  const auto read = [](const std::string& bytes) {
    decode_image(bytes, "x", {.limits = {.array_bytes = 1 << 20}});
  };
  for (const std::string& good :
       {png_file(kGray), png_file(kColor), jpeg_file(smooth(1)),
        jpeg_file(smooth(3), JpegKind::kProgressive)}) {
    testing::expect_no_harm_by_mutations(good, read);
  }
}

}  // namespace
}  // namespace catena::dataset
