#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftmaxOptions {
  int64_t axis = 1;
};

// y = exp(x) / sum(exp(x)), summed over one axis, by default the second, as in
// Chainer; computed without overflow. x is floating. Throws InvalidType when
// there is no such axis.
Variable softmax(const Variable& x, const SoftmaxOptions& options = {});

}  // namespace catena::functions
