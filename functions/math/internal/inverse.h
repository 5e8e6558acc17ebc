#pragma once

#include <string_view>

#include "catena/autograd/type_check.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The inverses over the last two axes of a, which must have `ndim` axes;
// `label` is a literal.
Variable inverse(std::string_view label, const Variable& a, int ndim);

// Throws InvalidType unless the input has `ndim` axes, the last two with the
// same extent, and a dtype that linear algebra supports.
void expect_matrices(TypeCheck& in, int ndim);

}  // namespace catena::functions
