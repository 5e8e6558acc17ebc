#pragma once

#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// x less numbers near its means over `axes`, one for each: what is left is
// small, and so are the errors of its means. `near` counts as constant.
Variable from_near(const Variable& x, const Array& near, const Axes& axes);

// x - mean(x), differentiable to any order.
Variable centered(const Variable& x, const Array& near, const Axes& axes);

}  // namespace catena::functions
