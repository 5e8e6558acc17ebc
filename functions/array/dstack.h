#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Concatenates variables along the third axis, where (m, n) counts as (m, n, 1)
// and (n,) as (1, n, 1). Any dtype. Throws InvalidType when there are no
// variables or dtypes, numbers of axes or other extents differ.
Variable dstack(std::span<const Variable> xs);
inline Variable dstack(std::initializer_list<Variable> xs) {
  return dstack(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
