#pragma once

#include "catena/array/array.h"

namespace catena::functions {

// Converts contiguous images (N, C, d...) to channels-last memory order;
// allocates such an array; and copies it back into contiguous images. CPU only.
Array to_channels_last(const Array& images);
Array empty_channels_last(const Array& images);
void from_channels_last(const Array& turned, const Array& images);

}  // namespace catena::functions
