#pragma once

#include <string_view>

#include "catena/autograd/type_check.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The inverses of the last two axes of an a of so many axes; `label` is a
// literal.
Variable inverse(std::string_view label, const Variable& a, int ndim);

// InvalidType unless the input has so many axes, the last two of one extent,
// and a dtype that linear algebra takes.
void expect_matrices(TypeCheck& in, int ndim);

}  // namespace catena::functions
