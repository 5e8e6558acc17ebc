#include "catena/dataset/image_decoders.h"

#include <algorithm>

#include "catena/array/core/error.h"

namespace catena::dataset {

void check_image_size(const EncodedImage& image, const StoredImageSize& size) {
  int64_t max = 0;
  if (__builtin_mul_overflow(static_cast<int64_t>(image.bytes.size()),
                             image.limits.compression_ratio, &max)) {
    max = INT64_MAX;
  }
  // Width and height have at most 31 bits each, a pixel at most 64.
  const int64_t line_bytes = (size.width * size.stored_bits + 7) / 8;
  int64_t stored = 0;
  int64_t result = 0;
  if (size.width <= 0 || size.height <= 0 ||
      __builtin_mul_overflow(line_bytes, size.height, &stored) ||
      __builtin_mul_overflow(size.width * size.result_bytes, size.height,
                             &result) ||
      stored > max || result > image.limits.array_bytes) {
    raise<IoError>(image.where, ": expected at most ",
                   std::min(max, image.limits.array_bytes),
                   " bytes of pixels (limits and file size) and at least one "
                   "pixel, got an image of ",
                   size.width, " x ", size.height);
  }
}

}  // namespace catena::dataset
