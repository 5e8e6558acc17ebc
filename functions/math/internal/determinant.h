#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The determinants of the last two axes of an a of so many axes; `label` is a
// literal.
Variable determinant(std::string_view label, const Variable& a, int ndim);

}  // namespace catena::functions
