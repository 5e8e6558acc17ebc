#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct AverageOptions {
  AxisSet axis = {};
  // Weights with x's dtype and x's shape or, with one axis, (x.shape[axis],).
  Variable weights = {};
  bool keepdims = false;
};

// The mean of x over axes, optionally weighted: y = sum(x w) / sum(w). x is
// floating; the result is NaN where the weights sum to 0 or there are no
// elements. Throws InvalidType for an axis out of range or weights that do not
// match, ValueError for a repeated axis or one-dimensional weights for several
// axes.
Variable average(const Variable& x, const AverageOptions& options = {});
// The mean of x over axes: average() under its other name.
Variable mean(const Variable& x, const AverageOptions& options = {});

}  // namespace catena::functions
