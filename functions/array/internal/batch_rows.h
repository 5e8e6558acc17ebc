#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// x (B..., d...), whose n_batch_axes first axes are B..., as a matrix with a
// row for each index of these. Where n_batch_axes is 1, x with one axis or none
// stays as it is, for the function's type check to refuse. Throws ValueError
// unless n_batch_axes is at least 1 and x has as many axes.
Variable batch_rows(std::string_view function, const Variable& x,
                    int64_t n_batch_axes);

}  // namespace catena::functions
