#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct AverageOptions {
  AxisSet axis = {};
  // Has x's shape or, with one axis, (x.shape[axis],), and x's dtype.
  Variable weights = {};
  bool keepdims = false;
};

// The mean of x over axes, weighted by w if given: y = sum(x w) / sum(w). x
// floating; NaN where the weights add up to 0 or there is nothing to average.
// InvalidType for an axis out of range or weights that do not fit, ValueError
// for an axis that is named twice or weights of one axis for several.
Variable average(const Variable& x, const AverageOptions& options = {});
// The same under its other name.
Variable mean(const Variable& x, const AverageOptions& options = {});

}  // namespace catena::functions
