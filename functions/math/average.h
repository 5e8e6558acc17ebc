#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct AverageOptions {
  NamedFieldsOnly keywords = {};
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
template <class = void>
Variable average(const Variable& x, const AxisSet& axis) {
  return average(x, {.axis = axis});
}
// The mean of x over axes: average() under its other name.
Variable mean(const Variable& x, const AverageOptions& options = {});
template <class = void>
Variable mean(const Variable& x, const AxisSet& axis) {
  return mean(x, {.axis = axis});
}

}  // namespace catena::functions
