#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Concatenated ReLU: max(x, 0) followed by max(-x, 0) along `axis`, which
// doubles its extent. x is floating. Throws InvalidType for any other dtype or
// an axis out of range. NaN stays NaN. The gradient at 0 is 0. (Shang et al.,
// 2016.)
Variable crelu(const Variable& x, const AxisOption& options);
inline Variable crelu(const Variable& x) {
  return crelu(x, AxisOption{.axis = 1});
}
template <class = void>
Variable crelu(const Variable& x, Axis axis) {
  return crelu(x, {.axis = axis});
}

}  // namespace catena::functions
