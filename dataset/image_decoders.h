#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

// Internals of image_file.h: a decoder for each format.
namespace catena::dataset {

struct EncodedImage {
  std::span<const unsigned char> bytes;
  std::string where;  // prefix of error messages
  LoadLimits limits;
};

struct DecodedImage {
  Array pixels;  // (H, W, C), on native:0
  bool cmyk = false;
};

// The sizes in an image's header, before its pixels are decoded.
struct StoredImageSize {
  int64_t width;
  int64_t height;
  int64_t stored_bits;   // per pixel, before compression
  int64_t result_bytes;  // per pixel
};
// Throws IoError when there are no pixels, or more than the limits or the
// file's size allow.
void check_image_size(const EncodedImage& image, const StoredImageSize& size);

// Returns uint8; kUpTo16 gives uint16 for 16-bit gray images.
enum class GrayDepth { k8, kUpTo16 };
DecodedImage decode_png(const EncodedImage& image, GrayDepth gray_depth);
DecodedImage decode_jpeg(const EncodedImage& image);

}  // namespace catena::dataset
