#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y_i = x[i, t_i] of an x (N, C) and integers t (N,): (N,). Any dtype. The
// gradient is 0 for what was not chosen; t gets none. InvalidType for other
// numbers of axes, lengths that differ or a t that is not integral, IndexError
// for a t_i outside of [-C, C).
Variable select_item(const Variable& x, const Array& t);
inline Variable select_item(const Variable& x, const Variable& t) {
  return select_item(x, t.data());
}

}  // namespace catena::functions
