#pragma once

#include <cstdint>

#include "catena/array/axis.h"
#include "catena/autograd/type_check.h"

// Checks of axes, and an option of links.
namespace catena::functions {

// How a call of a link divides x's axes.
struct BatchAxesOption {
  NamedFieldsOnly keywords = {};
  // The number of leading batch axes; the others make a sample.
  int64_t n_batch_axes = 1;
};

// Throws InvalidType unless the input has all the axes.
void expect_axes(const TypeCheck& in, type_check::Input x, const AxisSet& axes);
void expect_axis(const TypeCheck& in, type_check::Input x, int64_t axis);
// Checks the position of an axis to be inserted, which may be the end.
void expect_new_axis(const TypeCheck& in, type_check::Input x, int64_t axis);

// The shape with extent 1 along the axes, which must be normalized.
Shape shape_with_kept_axes(const Shape& shape, const Axes& axes);

}  // namespace catena::functions
