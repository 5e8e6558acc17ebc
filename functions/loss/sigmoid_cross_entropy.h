#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SigmoidCrossEntropyOptions {
  // Divide by the number of labels that count rather than by the batch size.
  bool normalize = true;
  // "mean" for one number, "no" for the loss of each element.
  std::string_view reduce = "mean";
};

// The cross entropy of sigmoid(x) and of labels t, integers of x's shape:
//
//   loss = -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)),
//
// where t is 0 or 1, or -1 for elements that do not count. The mean is 0 when
// there are none. The result has x's dtype. InvalidType when dtypes or shapes
// do not fit, ValueError for another `reduce` and for another label, which is
// named (on CUDA, finding it out waits for the device).
Variable sigmoid_cross_entropy(const Variable& x, const Variable& t,
                               const SigmoidCrossEntropyOptions& options = {});
Variable sigmoid_cross_entropy(const Variable& x, const Array& t,
                               const SigmoidCrossEntropyOptions& options = {});

}  // namespace catena::functions
