#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Selects one element per row, y[i] = x[i, t[i]], for x (N, C) and integers t
// (N,). Any dtype. The gradient is 0 for elements that are not selected; t gets
// none. Throws InvalidType for other numbers of axes, different lengths or a t
// that is not integral, IndexError for a t[i] outside [-C, C).
Variable select_item(const Variable& x, const Array& t);
inline Variable select_item(const Variable& x, const Variable& t) {
  return select_item(x, t.data());
}

}  // namespace catena::functions
