#include "catena/functions/axes.h"

namespace catena::functions {

void expect_axis(const TypeCheck& in, type_check::Input x, int64_t axis) {
  if (axis >= 0) {
    in.expect(x.ndim() > type_check::Term(axis));
  } else {
    in.expect(x.ndim() >= type_check::Term(-axis));
  }
}

void expect_new_axis(const TypeCheck& in, type_check::Input x, int64_t axis) {
  in.expect(x.ndim() >= type_check::Term(axis >= 0 ? axis : -axis - 1));
}

void expect_axes(const TypeCheck& in, type_check::Input x,
                 const AxisSet& axes) {
  if (axes.is_all()) return;
  for (const int64_t axis : *axes.axes()) expect_axis(in, x, axis);
}

Shape shape_with_kept_axes(const Shape& shape, const Axes& axes) {
  Shape kept = shape;
  for (const int64_t axis : axes) kept[static_cast<int>(axis)] = 1;
  return kept;
}

}  // namespace catena::functions
