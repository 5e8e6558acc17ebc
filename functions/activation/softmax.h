#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// y = exp(x) / sum(exp(x)), summed over one axis, by default the second, as in
// Chainer; computed without overflow. x is floating. Throws InvalidType when
// there is no such axis.
Variable softmax(const Variable& x, const AxisOption& options);
inline Variable softmax(const Variable& x) {
  return softmax(x, AxisOption{.axis = 1});
}
template <class = void>
Variable softmax(const Variable& x, Axis axis) {
  return softmax(x, {.axis = axis});
}

}  // namespace catena::functions
