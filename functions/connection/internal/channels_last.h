#pragma once

#include "catena/array/array.h"

namespace catena::functions {

// Images (N, C, d...), or filters (O, C, k...), whose channels are last in
// memory: a view of an array (N, d..., C).
Array empty_channels_last(const Shape& shape, Dtype dtype, Device device);
Array empty_channels_last(const Array& images);  // like these
// The view of such an array, and the array (N, d..., C) of images.
Array as_channels_last(const Array& turned);
Array channels_moved_last(const Array& images);
bool is_channels_last(const Array& images);
// The images themselves if they are, else a copy.
Array in_channels_last(const Array& images);

// On the CPU: converts contiguous images, and copies the result back into such.
Array to_channels_last(const Array& images);
void from_channels_last(const Array& turned, const Array& images);

}  // namespace catena::functions
