#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/array/array.h"

// Internals of image_file.h.
namespace catena::dataset {

// The bytes of a JPEG file of that quality, in [1, 100]. `pixels` are (H, W,
// C), uint8, contiguous and on native:0, with 1 (gray) or 3 channels (RGB).
// IoError, starting with `where`, when libjpeg fails.
std::string encode_jpeg(const Array& pixels, int64_t quality,
                        std::string_view where);

}  // namespace catena::dataset
