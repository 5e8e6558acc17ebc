#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with its axes permuted to the order `axes`, by default reversed; a view.
// Any dtype. Throws InvalidType unless `axes` is a permutation of x's axes;
// negative axes count from the end.
Variable transpose(const Variable& x, const Axes& axes = {});

}  // namespace catena::functions
