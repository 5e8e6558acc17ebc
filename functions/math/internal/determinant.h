#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The determinants over the last two axes of a, which must have `ndim` axes;
// `label` is a literal.
Variable determinant(std::string_view label, const Variable& a, int ndim);

}  // namespace catena::functions
