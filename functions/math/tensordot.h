#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Tensor contraction over the last `axes` axes of a and the first `axes` of b,
// in order; 0 gives the outer product. The result has a's other axes, then b's.
// Both have the same floating dtype. Throws InvalidType when there are too few
// axes, or dtypes or extents differ; ValueError when `axes` is negative.
Variable tensordot(const Variable& a, const Variable& b, int64_t axes = 2);
// Tensor contraction over the given axes of a and b. Throws InvalidType when
// one is out of range, ValueError when one is repeated or the lists differ in
// length.
Variable tensordot(const Variable& a, const Variable& b, const Axes& a_axes,
                   const Axes& b_axes);

}  // namespace catena::functions
