#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct ProdOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
  bool keepdims = false;
};

// The product of x over axes, which are removed or kept with extent 1
// (keepdims); 1 over no elements. x is floating. Gradients are correct even
// where elements are 0. Throws InvalidType for an axis out of range or any
// other dtype, ValueError for a repeated axis.
Variable prod(const Variable& x, const ProdOptions& options = {});
template <class = void>
Variable prod(const Variable& x, const AxisSet& axis) {
  return prod(x, {.axis = axis});
}

}  // namespace catena::functions
