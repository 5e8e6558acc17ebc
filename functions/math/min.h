#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct MinOptions {
  AxisSet axis = {};
  bool keepdims = false;
};

// The smallest element over axes, which y lacks, or has with extent 1
// (keepdims); NaN where there is one. x floating. All elements that equal it
// get the gradient. InvalidType for an axis out of range or another dtype,
// ValueError for an axis that is named twice or when there are no elements.
Variable min(const Variable& x, const MinOptions& options = {});

}  // namespace catena::functions
