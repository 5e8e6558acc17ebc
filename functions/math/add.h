#pragma once

#include <concepts>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The sum of two or more variables, elementwise with broadcasting. Faster than
// a chain of +, because up to four are added in one pass over memory. Inputs
// have the same floating dtype, else InvalidType. Throws ValueError for fewer
// than two.
Variable add(std::span<const Variable> xs);
template <std::same_as<Variable>... Rest>
Variable add(const Variable& x0, const Variable& x1, const Rest&... rest) {
  const Variable xs[] = {x0, x1, rest...};
  return add(std::span<const Variable>(xs));
}

}  // namespace catena::functions
