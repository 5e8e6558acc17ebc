#pragma once

#include <string_view>

#include "catena/autograd/function_node.h"
#include "catena/functions/axes.h"

// What functions that reduce axes have in common.
namespace catena::functions {

// A value for each group of reduced elements, repeated for each element: turns
// the gradient of a sum over `axes` (normalized), whether it kept them or not,
// into one of the `shape` of its input.
Variable repeat_over_axes(const Variable& y, const Shape& shape,
                          const Axes& axes);

// Checks of the one input x of a reduction.
void check_reduction_types(TypeCheck& in, const AxisSet& axis);

}  // namespace catena::functions
