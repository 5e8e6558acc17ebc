#pragma once

#include <initializer_list>
#include <optional>

#include "catena/array/shape.h"
#include "catena/autograd/type_check.h"

namespace catena::functions {

// The axis argument of a reduction: one axis, several, or all by default.
// Negative axes count from the end.
//
//   sum(x), sum(x, {.axis = 1}), sum(x, {.axis = {0, -1}})
class AxisSet {
 public:
  AxisSet() = default;
  AxisSet(int64_t axis) : axes_(Axes{axis}) {}
  AxisSet(std::initializer_list<int64_t> axes) : axes_(Axes(axes)) {}
  AxisSet(const Axes& axes) : axes_(axes) {}

  bool is_all() const { return !axes_.has_value(); }
  const std::optional<Axes>& axes() const { return axes_; }

  // The axes as sorted nonnegative indices, for an array with ndim axes. Throws
  // IndexError when one is out of range, ValueError when one is repeated, both
  // naming `operation`.
  Axes normalized(int ndim, std::string_view operation) const;

 private:
  std::optional<Axes> axes_;
};

// Throws InvalidType unless the input has all the axes.
void expect_axes(const TypeCheck& in, type_check::Input x, const AxisSet& axes);
void expect_axis(const TypeCheck& in, type_check::Input x, int64_t axis);
// Checks the position of an axis to be inserted, which may be the end.
void expect_new_axis(const TypeCheck& in, type_check::Input x, int64_t axis);

// The shape with extent 1 along the axes, which must be normalized.
Shape shape_with_kept_axes(const Shape& shape, const Axes& axes);

}  // namespace catena::functions
