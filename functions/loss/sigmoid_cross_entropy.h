#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SigmoidCrossEntropyOptions {
  NamedFieldsOnly keywords = {};
  // Divide by the number of labels that are not ignored rather than by the
  // batch size.
  bool normalize = true;
  // "mean", or "no" for the loss of each element.
  std::string_view reduce = "mean";
};

// The cross entropy of sigmoid(x) with labels t, integers of x's shape:
//
//   loss = -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)),
//
// where t is 0 or 1, or -1 for elements to ignore. The mean over no elements is
// 0. The result has x's dtype. Throws InvalidType when dtypes or shapes do not
// match, ValueError for an unknown `reduce` and for any other label, which the
// message names (on CUDA when the host next waits for the device).
Variable sigmoid_cross_entropy(const Variable& x, const Variable& t,
                               const SigmoidCrossEntropyOptions& options = {});
Variable sigmoid_cross_entropy(const Variable& x, const Array& t,
                               const SigmoidCrossEntropyOptions& options = {});

}  // namespace catena::functions
