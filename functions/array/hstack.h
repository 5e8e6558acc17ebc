#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Concatenates variables along the second axis, or along the first if they have
// one axis. Any dtype. Throws InvalidType when there are no variables or
// dtypes, numbers of axes or other extents differ.
Variable hstack(std::span<const Variable> xs);
inline Variable hstack(std::initializer_list<Variable> xs) {
  return hstack(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
