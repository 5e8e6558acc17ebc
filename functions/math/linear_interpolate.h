#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// p x + (1 - p) y, elementwise with broadcasting, unlike Chainer's. Inputs have
// the same floating dtype, else InvalidType.
Variable linear_interpolate(const Variable& p, const Variable& x,
                            const Variable& y);

}  // namespace catena::functions
