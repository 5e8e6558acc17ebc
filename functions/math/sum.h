#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct SumOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// y = sum of x over axes, which y lacks, or has with extent 1 (keepdims). x
// floating; 0 over no elements. InvalidType for an axis out of range or another
// dtype, ValueError for an axis that is named twice.
Variable sum(const Variable& x, const SumOptions& options = {});

}  // namespace catena::functions
