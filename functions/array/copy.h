#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x on another device, in memory of its own; a new variable with the same array
// where it is there already. Any dtype. The gradient goes back to x's device.
// DeviceError when there is no such device. (Chainer numbers GPUs, with -1 for
// the host.)
Variable copy(const Variable& x, Device dst);

}  // namespace catena::functions
