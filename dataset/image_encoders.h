#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/array/array.h"

// Internals of image_file.h: an encoder for each format. `pixels` are (H, W,
// C), uint8, contiguous and on native:0. Each throws IoError, starting with
// `where`, when the format's library fails.
namespace catena::dataset {

// The bytes of a JPEG file of that quality, in [1, 100], for 1 (gray) or 3
// channels (RGB).
std::string encode_jpeg(const Array& pixels, int64_t quality,
                        std::string_view where);

// The bytes of a PNG file, for 1 (gray), 3 (RGB) or 4 channels (RGBA).
std::string encode_png(const Array& pixels, std::string_view where);

}  // namespace catena::dataset
