#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// y[i, k] = x[i] . W[indices[i, k]], and 0 where the index is -1: x is (N, D),
// W (V, D), floating and of one dtype, indices (N, K). Differentiable in x and
// W to any order. The gradient of W is dense and adds up in a fixed order.
// InvalidType naming the operation when dtypes or shapes do not fit; ValueError
// for an index that is neither -1 nor in [0, V), which waits for the device.
Variable indexed_dot(const Variable& x, const Variable& W, const Array& indices,
                     std::string_view operation);

}  // namespace catena::functions
