#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct ProdOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// The product of x over axes, which are removed or kept with extent 1
// (keepdims); 1 over no elements. x is floating. Gradients are correct even
// where elements are 0. Throws InvalidType for an axis out of range or any
// other dtype, ValueError for a repeated axis.
Variable prod(const Variable& x, const ProdOptions& options = {});

}  // namespace catena::functions
