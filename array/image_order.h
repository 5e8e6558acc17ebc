#pragma once

#include "catena/array/array.h"

// For functions that keep the order of images in memory (channels_last.h).
namespace catena::array {

// The array (N, d..., C) of images, and the images of such an array: views.
Array channels_moved_last(const Array& images);
Array as_channels_last(const Array& reordered);

// Whether results for these images are to have their channels last: they are on
// a GPU, have two or more spatial axes and are not in C order, but in that one,
// perhaps as parts of others.
bool keeps_channels_last(const Array& images);
// A result of a function of a, with its channels last for such images, else in
// C order. It has a's number of axes.
Array empty_in_order_of(const Array& a, const Shape& shape, Dtype dtype);

}  // namespace catena::array
