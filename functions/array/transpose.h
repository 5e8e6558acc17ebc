#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with its axes in the order `axes`, reversed when that is empty; a view. Any
// dtype. InvalidType unless `axes` is a permutation of x's axes, negative ones
// counting from the end.
Variable transpose(const Variable& x, const Axes& axes = {});

}  // namespace catena::functions
