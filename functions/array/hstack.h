#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The variables one after another along the second axis, or along the only one.
// Any dtype. InvalidType when there is none or dtypes, numbers of axes or other
// extents differ.
Variable hstack(std::span<const Variable> xs);
inline Variable hstack(std::initializer_list<Variable> xs) {
  return hstack(std::span(xs.begin(), xs.size()));
}

}  // namespace catena::functions
