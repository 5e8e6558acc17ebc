#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// y[i, k] = x[i] . W[indices[i, k]], or 0 where the index is -1: x is (N, D), W
// (V, D), of the same floating dtype, indices (N, K). Differentiable in x and W
// to any order. The gradient of W is dense and summed in a fixed order. Throws
// InvalidType naming the operation when dtypes or shapes do not match;
// ValueError for an index that is neither -1 nor in [0, V), a check that waits
// for the device.
Variable indexed_dot(const Variable& x, const Variable& W, const Array& indices,
                     std::string_view operation);

}  // namespace catena::functions
