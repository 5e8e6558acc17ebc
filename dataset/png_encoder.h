#pragma once

#include <string>
#include <string_view>

#include "catena/array/array.h"

// Internals of image_file.h.
namespace catena::dataset {

// The bytes of a PNG file. `pixels` are (H, W, C), uint8, contiguous and on
// native:0, with 1 (gray), 3 (RGB) or 4 channels (RGBA). IoError, starting with
// `where`, when libpng fails.
std::string encode_png(const Array& pixels, std::string_view where);

}  // namespace catena::dataset
