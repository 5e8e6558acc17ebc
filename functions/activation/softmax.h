#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftmaxOptions {
  int64_t axis = 1;
};

// y = exp(x) / sum(exp(x)), the sum over an axis, by default the second, as in
// Chainer; no exponential overflows. x floating. InvalidType when there is no
// such axis.
Variable softmax(const Variable& x, const SoftmaxOptions& options = {});

}  // namespace catena::functions
