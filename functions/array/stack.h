#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Stacks variables of one shape along a new axis, at position `axis` of the
// result. Any dtype. Throws InvalidType when there are no variables, the axis
// is out of range, or dtypes or shapes differ.
Variable stack(std::span<const Variable> xs,
               const AxisOption& options = {.axis = 0});
inline Variable stack(std::initializer_list<Variable> xs,
                      const AxisOption& options = {.axis = 0}) {
  return stack(std::span(xs.begin(), xs.size()), options);
}
template <class = void>
Variable stack(std::span<const Variable> xs, Axis axis) {
  return stack(xs, {.axis = axis});
}
template <class = void>
Variable stack(std::initializer_list<Variable> xs, Axis axis) {
  return stack(xs, {.axis = axis});
}

}  // namespace catena::functions
