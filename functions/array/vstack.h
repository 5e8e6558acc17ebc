#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Concatenates variables along the first axis, where (n,) counts as (1, n). Any
// dtype. Throws InvalidType when there are no variables or dtypes, numbers of
// axes or other extents differ.
Variable vstack(std::span<const Variable> xs);
inline Variable vstack(std::initializer_list<Variable> xs) {
  return vstack(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
