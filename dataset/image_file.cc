#include "catena/dataset/image_file.h"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/byte_source.h"
#include "catena/dataset/image_decoders.h"

namespace catena::dataset {
namespace {

constexpr std::array<unsigned char, 8> kPng = {0x89, 'P',  'N',  'G',
                                               '\r', '\n', 0x1a, '\n'};
constexpr std::array<unsigned char, 3> kJpeg = {0xff, 0xd8, 0xff};

enum class Format { kPng, kJpeg };

Format format_of(std::span<const unsigned char> bytes,
                 const std::string& where) {
  const auto begins_with = [&](std::span<const unsigned char> magic) {
    return bytes.size() >= magic.size() &&
           std::ranges::equal(bytes.first(magic.size()), magic);
  };
  if (begins_with(kPng)) return Format::kPng;
  if (begins_with(kJpeg)) return Format::kJpeg;
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  raise<IoError>(
      where, ": expected a PNG or JPEG image, got a file that begins with ",
      array::quote({text, std::min<size_t>(bytes.size(), kPng.size())}));
}

using Rgb = std::array<uint8_t, 3>;

Rgb rgb_of_gray(const uint8_t* pixel) { return {*pixel, *pixel, *pixel}; }
Rgb rgb_of_rgb(const uint8_t* pixel) { return {pixel[0], pixel[1], pixel[2]}; }
Rgb rgb_of_cmyk(const uint8_t* pixel) {
  const int paper = 255 - pixel[3];
  const auto channel = [&](int ink) {
    return static_cast<uint8_t>(paper - (ink * paper + 127) / 255);
  };
  return {channel(pixel[0]), channel(pixel[1]), channel(pixel[2])};
}

// The weights times 65536, as in Pillow.
uint8_t gray_of(const Rgb& rgb) {
  return static_cast<uint8_t>(
      (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

template <class ToRgb>
Array converted(const Array& pixels, ImageColor color, ToRgb to_rgb) {
  const bool gray = color == ImageColor::kGray;
  Shape shape = {pixels.shape()[0], pixels.shape()[1]};
  if (!gray) shape.push_back(3);
  const Array result = array::empty(shape, Dtype::kUInt8, native_device());
  const auto* from = pixels.data<uint8_t>();
  const int64_t channels = pixels.shape()[2];
  auto* to = result.data<uint8_t>();
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i, from += channels) {
    const Rgb rgb = to_rgb(from);
    to = gray ? (*to = gray_of(rgb), to + 1) : std::ranges::copy(rgb, to).out;
  }
  return result;
}

Array decode(const EncodedImage& image, ImageColor color) {
  const bool as_in_file = color == ImageColor::kAsInFile;
  const DecodedImage decoded =
      format_of(image.bytes, image.where) == Format::kPng
          ? decode_png(image, as_in_file ? GrayDepth::kUpTo16 : GrayDepth::k8)
          : decode_jpeg(image);
  const Array& pixels = decoded.pixels;
  const Shape& shape = pixels.shape();
  if (as_in_file || (color == ImageColor::kGray && shape[2] == 1)) {
    return shape[2] == 1 ? pixels.reshape({shape[0], shape[1]}) : pixels;
  }
  if (shape[2] <= 2) return converted(pixels, color, rgb_of_gray);
  if (decoded.cmyk) return converted(pixels, color, rgb_of_cmyk);
  return converted(pixels, color, rgb_of_rgb);
}

}  // namespace

Array read_image(const std::string& path, const ReadImageOptions& options) try {
  const auto source =
      array::ByteSource::open(path, "read_image", options.limits);
  std::array<unsigned char, kPng.size()> magic;
  const auto known = std::span(magic).first(
      std::min(magic.size(), static_cast<size_t>(source.size())));
  source.read(0, {reinterpret_cast<char*>(magic.data()), known.size()});
  format_of(known, source.where());
  std::vector<unsigned char> bytes(static_cast<size_t>(source.size()));
  source.read(0, {reinterpret_cast<char*>(bytes.data()), bytes.size()});
  return decode(
      {.bytes = bytes, .where = source.where(), .limits = options.limits},
      options.color);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_image");
}

Array decode_image(std::span<const char> bytes, std::string_view name,
                   const ReadImageOptions& options) try {
  return decode({.bytes = {reinterpret_cast<const unsigned char*>(bytes.data()),
                           bytes.size()},
                 .where = str("decode_image: ", array::quote_path(name)),
                 .limits = options.limits},
                options.color);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("decode_image");
}

}  // namespace catena::dataset
