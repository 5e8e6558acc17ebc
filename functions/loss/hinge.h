#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct HingeOptions {
  NamedFieldsOnly keywords = {};
  // "L1", or "L2" for the square.
  std::string_view norm = "L1";
  // "mean" over the batch of the sum over the classes, or "no" for the loss of
  // each element.
  std::string_view reduce = "mean";
};

// The one-versus-rest hinge loss: with sign 1 at the label and -1 elsewhere,
//
//   loss[n, k] = max(0, 1 - sign x[n, k]), or its square.
//
// x is (N, K), floating; t (N,), integers from 0 to K - 1, and gets no
// gradient. The gradient is 0 at the kink. Throws InvalidType when dtypes or
// shapes do not match. Throws ValueError for a label out of range, which the
// message names (on CUDA when the host next waits for the device), and for an
// unknown `reduce`; NotImplementedError for any other norm, as in Chainer.
Variable hinge(const Variable& x, const Variable& t,
               const HingeOptions& options = {});
Variable hinge(const Variable& x, const Array& t,
               const HingeOptions& options = {});

}  // namespace catena::functions
