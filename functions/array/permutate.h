#pragma once

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

struct PermutateOptions {
  NamedFieldsOnly keywords = {};
  Axis axis = 0;
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
template <class = void>
Variable permutate(const Variable& x, const Array& indices, Axis axis) {
  return permutate(x, indices, {.axis = axis});
}
template <class = void>
Variable permutate(const Variable& x, const Variable& indices, Axis axis) {
  return permutate(x, indices, {.axis = axis});
}

}  // namespace catena::functions
