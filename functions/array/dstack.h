#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The variables one after another along the third axis: (m, n) counts as (m, n,
// 1) and (n,) as (1, n, 1). Any dtype. InvalidType when there is none or
// dtypes, numbers of axes or other extents differ.
Variable dstack(std::span<const Variable> xs);
inline Variable dstack(std::initializer_list<Variable> xs) {
  return dstack(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
