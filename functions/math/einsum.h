#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Einstein's summation: einsum("ij,jk->ik", {a, b}) is a b. The grammar, the
// result's shape and ValueError, ShapeError are those of array::einsum
// (array/linalg/einsum.h). Operands are floating, of one dtype; else
// InvalidType. Gradients are sums of the same kind.
Variable einsum(std::string_view subscripts,
                std::span<const Variable> operands);
inline Variable einsum(std::string_view subscripts,
                       std::initializer_list<Variable> operands) {
  return einsum(subscripts, std::span(operands.begin(), operands.size()));
}

}  // namespace catena::functions
