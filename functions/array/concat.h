#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Concatenates variables along an existing axis, by default the second, as in
// Chainer. Any dtype. Throws InvalidType when there are no variables, the axis
// is out of range, or dtypes or other extents differ.
Variable concat(std::span<const Variable> xs,
                const AxisOption& options = {.axis = 1});
Variable concat(std::initializer_list<Variable> xs,
                const AxisOption& options = {.axis = 1});
template <class = void>
Variable concat(std::span<const Variable> xs, Axis axis) {
  return concat(xs, {.axis = axis});
}
template <class = void>
Variable concat(std::initializer_list<Variable> xs, Axis axis) {
  return concat(xs, {.axis = axis});
}

}  // namespace catena::functions
