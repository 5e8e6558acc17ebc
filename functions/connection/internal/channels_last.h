#pragma once

#include "catena/array/array.h"
#include "catena/array/channels_last.h"

// Images with their channels last (array/channels_last.h) on the CPU, for
// oneDNN.
namespace catena::functions {

// Converts contiguous images, and copies the result back into such.
Array to_channels_last(const Array& images);
void from_channels_last(const Array& reordered, const Array& images);

}  // namespace catena::functions
