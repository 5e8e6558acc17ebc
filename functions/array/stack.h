#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct StackOptions {
  int64_t axis = 0;
};

// Stacks variables of one shape along a new axis, at position `axis` of the
// result. Any dtype. Throws InvalidType when there are no variables, the axis
// is out of range, or dtypes or shapes differ.
Variable stack(std::span<const Variable> xs, const StackOptions& options = {});
inline Variable stack(std::initializer_list<Variable> xs,
                      const StackOptions& options = {}) {
  return stack(std::span(xs.begin(), xs.size()), options);
}

}  // namespace catena::functions
