#pragma once

#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The input itself, as the output of a function: a new variable with the same
// array. Any dtype.
Variable identity(const Variable& x);
// The same for several at once.
Variables identity(std::span<const Variable> xs);

}  // namespace catena::functions
