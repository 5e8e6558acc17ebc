#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Sums of products over the last `axes` axes of a and the first of b, matched
// in their order; with 0 every product of two elements. a's other axes, then
// b's, remain. Floating, of one dtype. InvalidType when there are not so many
// axes, or dtypes or extents differ; ValueError when `axes` is negative.
Variable tensordot(const Variable& a, const Variable& b, int64_t axes = 2);
// The same over axes named for each. InvalidType for one out of range,
// ValueError for one named twice or lists that differ in length.
Variable tensordot(const Variable& a, const Variable& b, const Axes& a_axes,
                   const Axes& b_axes);

}  // namespace catena::functions
