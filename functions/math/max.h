#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct MaxOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// The maximum over axes, which are removed or kept with extent 1 (keepdims);
// NaN if there is one. x is floating. All elements equal to the maximum get the
// gradient. Throws InvalidType for an axis out of range or any other dtype,
// ValueError for a repeated axis or when there are no elements.
Variable max(const Variable& x, const MaxOptions& options = {});

}  // namespace catena::functions
