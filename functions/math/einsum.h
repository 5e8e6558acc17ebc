#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Einstein summation; for example, einsum("ij,jk->ik", {a, b}) is the matrix
// product. Grammar, result shape, ValueError and ShapeError are as in
// array::einsum (array/linalg/einsum.h). Operands have the same floating dtype,
// else InvalidType. Gradients are computed by einsum too.
Variable einsum(std::string_view subscripts,
                std::span<const Variable> operands);
inline Variable einsum(std::string_view subscripts,
                       std::initializer_list<Variable> operands) {
  return einsum(subscripts, std::span(operands.begin(), operands.size()));
}

}  // namespace catena::functions
