#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

// What image_file.h is made of: a decoder for each format.
namespace catena::dataset {

struct EncodedImage {
  std::span<const unsigned char> bytes;
  std::string where;  // how messages begin
  LoadLimits limits;
};

struct DecodedImage {
  Array pixels;  // (H, W, C), on native:0
  bool cmyk = false;
};

// What an image says of itself before its pixels are decoded.
struct StoredImageSize {
  int64_t width;
  int64_t height;
  int64_t stored_bits;   // of a pixel, before compression
  int64_t result_bytes;  // of a pixel
};
// IoError when there are no pixels, or more than the limits or the file's size
// allow.
void check_image_size(const EncodedImage& image, const StoredImageSize& size);

// uint8, or uint16 for gray of 16 bits if that is asked for.
enum class GrayDepth { k8, kUpTo16 };
DecodedImage decode_png(const EncodedImage& image, GrayDepth gray_depth);
DecodedImage decode_jpeg(const EncodedImage& image);

}  // namespace catena::dataset
