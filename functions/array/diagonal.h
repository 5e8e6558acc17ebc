#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DiagonalOptions {
  int64_t offset = 0;
  int64_t axis1 = 0;
  int64_t axis2 = 1;
};

// The diagonal k = offset of each matrix of axis1 and axis2, as the last axis
// in place of those two; a view. Any dtype; the gradient is 0 elsewhere.
// InvalidType for fewer than two axes or one out of range, ValueError when both
// are the same.
Variable diagonal(const Variable& x, const DiagonalOptions& options = {});

}  // namespace catena::functions
