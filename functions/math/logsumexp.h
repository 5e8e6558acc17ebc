#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// y = log(sum(exp(x))) over axes, which are removed, computed without overflow;
// -inf over no elements. x is floating. Throws InvalidType for an axis out of
// range or any other dtype, ValueError for a repeated axis.
Variable logsumexp(const Variable& x, const AxisSetOption& options = {});
template <class = void>
Variable logsumexp(const Variable& x, const AxisSet& axis) {
  return logsumexp(x, {.axis = axis});
}

}  // namespace catena::functions
