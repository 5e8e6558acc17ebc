#include <png.h>

#include <cstdint>

#include "catena/array/core/error.h"
#include "catena/dataset/image_encoders.h"

namespace catena::dataset {
namespace {

png_uint_32 format_of(int64_t channels) {
  if (channels == 1) return PNG_FORMAT_GRAY;
  return channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
}

}  // namespace

std::string encode_png(const Array& pixels, std::string_view where) {
  const Shape& shape = pixels.shape();
  // libpng counts the bytes of an image with 32 bits.
  if (pixels.nbytes() > INT32_MAX - shape[0]) {
    raise<IoError>(where,
                   ": expected less than 2 GB of pixels, got an image of ",
                   shape[1], " x ", shape[0]);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(shape[0]);
  image.width = static_cast<png_uint_32>(shape[1]);
  image.format = format_of(shape[2]);
  // Enough for zlib, so that images are compressed only once; other
  // implementations may need more.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes;
  bool done = false;
  while (!done && size > bytes.size()) {
    bytes.resize(size);
    done = png_image_write_to_memory(&image, bytes.data(), &size,
                                     /*convert_to_8_bit=*/0, pixels.raw_data(),
                                     /*row_stride=*/0, nullptr) != 0;
  }
  if (!done) raise<IoError>(where, ": libpng: ", image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace catena::dataset
