#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct MaxOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
  bool keepdims = false;
};

// The maximum over axes, which are removed or kept with extent 1 (keepdims);
// NaN if there is one. x is floating. All elements equal to the maximum get the
// gradient. Throws InvalidType for an axis out of range or any other dtype,
// ValueError for a repeated axis or when there are no elements.
Variable max(const Variable& x, const MaxOptions& options = {});
template <class = void>
Variable max(const Variable& x, const AxisSet& axis) {
  return max(x, {.axis = axis});
}

}  // namespace catena::functions
