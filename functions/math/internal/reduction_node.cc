#include "catena/functions/math/internal/reduction_node.h"

#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/axes.h"

namespace catena::functions {

Variable repeat_over_axes(const Variable& y, const Shape& shape,
                          const Axes& axes) {
  return broadcast_to(reshape(y, shape_with_kept_axes(shape, axes)), shape);
}

void check_reduction_types(TypeCheck& in, const AxisSet& axis) {
  const auto [x] = in.names<1>({"x"});
  in.expect_floating(x);
  expect_axes(in, x, axis);
}

}  // namespace catena::functions
