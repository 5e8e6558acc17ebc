#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct SumOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// The sum of x over axes, which are removed or kept with extent 1 (keepdims). x
// is floating; 0 over no elements. Throws InvalidType for an axis out of range
// or any other dtype, ValueError for a repeated axis.
Variable sum(const Variable& x, const SumOptions& options = {});

}  // namespace catena::functions
