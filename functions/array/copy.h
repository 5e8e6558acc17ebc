#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Copies x to another device; if x is already there, a new variable with the
// same array. Any dtype. The gradient is copied back to x's device. Throws
// DeviceError when there is no such device. (Chainer numbers GPUs, with -1 for
// the host.)
Variable copy(const Variable& x, Device dst);

}  // namespace catena::functions
