#pragma once

#include "catena/array/core/scalar.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Selects from x where the condition is true, else from y, elementwise with
// broadcasting. The condition is bool and gets no gradient. x and y have the
// same dtype, floating or not, or one is a number, which takes the other's
// dtype; else InvalidType.
Variable where(const Array& condition, const Variable& x, const Variable& y);
Variable where(const Array& condition, const Variable& x, Scalar y);
Variable where(const Array& condition, Scalar x, const Variable& y);
// where() with a variable's data as the condition.
inline Variable where(const Variable& condition, const Variable& x,
                      const Variable& y) {
  return where(condition.data(), x, y);
}

}  // namespace catena::functions
