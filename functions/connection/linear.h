#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct LinearOptions {
  NamedFieldsOnly keywords = {};
  // The number of leading batch axes of x; the others are flattened.
  int64_t n_batch_axes = 1;
};

// The affine map y = x W^T + b: x is (B..., d...) with n_batch_axes axes B...
// and in_size elements in d...; W is (out_size, in_size), b (out_size,) or
// undefined, y (B..., out_size). All inputs have the same floating dtype.
// Throws InvalidType when dtypes or shapes do not match, ValueError unless
// n_batch_axes is at least 1.
Variable linear(const Variable& x, const Variable& W, const Variable& b = {},
                const LinearOptions& options = {});

}  // namespace catena::functions
