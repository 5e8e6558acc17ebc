#pragma once

#include "catena/array/array.h"

// The order of a variable's data in memory, which its gradient, copies and an
// optimizer's state keep: C order or, for weights of convolutions, channels
// last (array/channels_last.h).
namespace catena {

// Whether the channels are last and the array is not in C order as well.
bool has_channels_last(const Array& data);
// An uninitialized array of that shape, and a copy on a device, with their
// channels last if those of the data are, else in C order.
Array empty_in_layout_of(const Array& data, Dtype dtype, Device device);
Array copy_in_layout(const Array& data, Device device);

}  // namespace catena
