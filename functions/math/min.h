#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct MinOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// The minimum over axes, which are removed or kept with extent 1 (keepdims);
// NaN if there is one. x is floating. All elements equal to the minimum get the
// gradient. Throws InvalidType for an axis out of range or any other dtype,
// ValueError for a repeated axis or when there are no elements.
Variable min(const Variable& x, const MinOptions& options = {});

}  // namespace catena::functions
