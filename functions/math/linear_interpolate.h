#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// p x + (1 - p) y, elementwise. Floating, of one dtype, else InvalidType.
// Unlike Chainer's the three also broadcast.
Variable linear_interpolate(const Variable& p, const Variable& x,
                            const Variable& y);

}  // namespace catena::functions
