#pragma once

#include "catena/array/array.h"

namespace catena::functions {

// A copy of contiguous images (N, C, d...) whose channels lie side by side; an
// array like them that lies so; and back, from such an array into contiguous
// images. On the CPU.
Array to_channels_last(const Array& images);
Array empty_channels_last(const Array& images);
void from_channels_last(const Array& turned, const Array& images);

}  // namespace catena::functions
