#include "catena/functions/normalization/internal/centered.h"

#include "catena/functions/axes.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {

Variable from_near(const Variable& x, const Array& near, const Axes& axes) {
  return x - as_variable(near.reshape(shape_with_kept_axes(x.shape(), axes))
                             .astype(x.dtype(), Array::CopyPolicy::kIfNeeded));
}

Variable centered(const Variable& x, const Array& near, const Axes& axes) {
  const Variable d = from_near(x, near, axes);
  return d - average(d, {.axis = axes, .keepdims = true});
}

}  // namespace catena::functions
