#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

struct NormalizeOptions {
  // Added to the norm, so that it is not 0.
  double eps = 1e-5;
  // The axes along which the elements make up a vector.
  AxisSet axis = 1;
};

// Vectors over their Euclidean norms: y = x / (|x| + eps). x floating. The
// gradient at a vector of zeros is gy / eps. InvalidType for another dtype or
// an axis out of range, ValueError for an axis that is named twice or a
// negative eps.
Variable normalize(const Variable& x, const NormalizeOptions& options = {});

}  // namespace catena::functions
