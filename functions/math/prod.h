#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct ProdOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// The product of x over axes, which y lacks, or has with extent 1 (keepdims); 1
// over no elements. x floating. The gradients are right also where elements are
// 0. InvalidType for an axis out of range or another dtype, ValueError for an
// axis that is named twice.
Variable prod(const Variable& x, const ProdOptions& options = {});

}  // namespace catena::functions
