#pragma once

#include <string_view>

#include "catena/array/axis.h"
#include "catena/autograd/function_node.h"

// Shared by functions that reduce axes.
namespace catena::functions {

// Broadcasts the gradient of a sum over `axes` (normalized), with or without
// keepdims, to the `shape` of its input.
Variable repeat_over_axes(const Variable& y, const Shape& shape,
                          const Axes& axes);

// Checks the single input x of a reduction.
void check_reduction_types(TypeCheck& in, const AxisSet& axis);

}  // namespace catena::functions
