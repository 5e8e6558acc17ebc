#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct PermutateOptions {
  int64_t axis = 0;
  bool inv = false;
};

// Reorders the slices of x along an axis: y[i] = x[indices[i]], or
// y[indices[i]] = x[i] with `inv`. Any dtype; the indices get no gradient.
// Throws InvalidType when the axis is out of range or the indices are not
// integers (x.shape[axis],), ValueError unless they are a permutation.
Variable permutate(const Variable& x, const Array& indices,
                   const PermutateOptions& options = {});
inline Variable permutate(const Variable& x, const Variable& indices,
                          const PermutateOptions& options = {}) {
  return permutate(x, indices.data(), options);
}

}  // namespace catena::functions
