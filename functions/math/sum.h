#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct SumOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
  bool keepdims = false;
};

// The sum of x over axes, which are removed or kept with extent 1 (keepdims). x
// is floating; 0 over no elements. Throws InvalidType for an axis out of range
// or any other dtype, ValueError for a repeated axis.
Variable sum(const Variable& x, const SumOptions& options = {});
template <class = void>
Variable sum(const Variable& x, const AxisSet& axis) {
  return sum(x, {.axis = axis});
}

}  // namespace catena::functions
