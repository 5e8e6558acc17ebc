#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/activation/softmax.h"

namespace catena::functions {

// y = x - log(sum(exp(x))), the sum over an axis, by default the second, as in
// Chainer: the logarithm of softmax(x), but accurate where that is near 0. x
// floating. InvalidType when there is no such axis.
Variable log_softmax(const Variable& x, const SoftmaxOptions& options = {});

}  // namespace catena::functions
