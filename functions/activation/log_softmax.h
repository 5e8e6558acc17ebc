#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"
#include "catena/functions/activation/softmax.h"

namespace catena::functions {

// y = x - log(sum(exp(x))), summed over one axis, by default the second, as in
// Chainer: log(softmax(x)), but accurate where softmax(x) is near 0. x is
// floating. Throws InvalidType when there is no such axis.
Variable log_softmax(const Variable& x, const AxisOption& options);
inline Variable log_softmax(const Variable& x) {
  return log_softmax(x, AxisOption{.axis = 1});
}
template <class = void>
Variable log_softmax(const Variable& x, Axis axis) {
  return log_softmax(x, {.axis = axis});
}

}  // namespace catena::functions
