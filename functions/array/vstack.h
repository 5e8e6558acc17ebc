#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The variables one after another along the first axis, where one-dimensional
// ones are rows. Any dtype. InvalidType when there is none or dtypes, numbers
// of axes or other extents differ.
Variable vstack(std::span<const Variable> xs);
inline Variable vstack(std::initializer_list<Variable> xs) {
  return vstack(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
