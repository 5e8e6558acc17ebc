#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct NormalizeOptions {
  NamedFieldsOnly keywords = {};
  // Added to the norm to avoid division by zero.
  double eps = 1e-5;
  // The axes that make up a vector.
  AxisSet axis = 1;
};

// Divides vectors by their Euclidean norms: y = x / (|x| + eps). x is floating.
// The gradient at a vector of zeros is gy / eps. Throws InvalidType for any
// other dtype or an axis out of range, ValueError for a repeated axis or a
// negative eps.
Variable normalize(const Variable& x, const NormalizeOptions& options = {});

}  // namespace catena::functions
