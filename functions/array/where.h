#pragma once

#include "catena/array/scalar.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// y = x where the condition holds, else y's counterpart: elementwise choice
// with broadcasting. The condition is bool and gets no gradient; x and y are of
// one dtype, floating or not, or one of them is a number, which takes the
// other's. InvalidType.
Variable where(const Array& condition, const Variable& x, const Variable& y);
Variable where(const Array& condition, const Variable& x, Scalar y);
Variable where(const Array& condition, Scalar x, const Variable& y);
// The same with the data of a variable as condition.
inline Variable where(const Variable& condition, const Variable& x,
                      const Variable& y) {
  return where(condition.data(), x, y);
}

}  // namespace catena::functions
