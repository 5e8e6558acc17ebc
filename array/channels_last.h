#pragma once

#include "catena/array/array.h"

// Images (N, C, d...) whose channels are last in memory, as tensor cores read
// them: views of arrays (N, d..., C), used like any others.
//
// On a GPU, convolutions, normalization of channels, pooling, dropout, concat
// and elementwise functions of such images have such results if there are two
// or more spatial axes, so a network whose input is
//
//   x = array::in_channels_last(x);
//
// computes so until something needs C order, such as a reshape. On the CPU
// results are in C order, which is as fast there.
namespace catena::array {

// Whether the channels are last. Images of one channel or one pixel can be in C
// order as well.
bool is_channels_last(const Array& images);
// The images themselves if their channels are last, else a copy. Throws
// ShapeError for fewer than 2 axes.
Array in_channels_last(const Array& images);
// Uninitialized images of this shape (N, C, d...).
Array empty_channels_last(const Shape& shape, Dtype dtype, Device device);

}  // namespace catena::array
