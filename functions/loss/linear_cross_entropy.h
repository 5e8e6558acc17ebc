#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct LinearCrossEntropyOptions {
  NamedFieldsOnly keywords = {};
  // (V,), added to the scores of each row.
  Variable b = {};
  // Rows with this label give no loss and no gradient.
  int64_t ignore_label = -1;
  // "mean", over the rows that are not ignored, or "no" for the loss of each.
  std::string_view reduce = "mean";
  // As in softmax_cross_entropy.
  double label_smoothing = 0;
  // With a positive soft cap c, scores s become c tanh(s / c).
  double soft_cap = 0;
};

// softmax_cross_entropy(linear(x, W, b), t) without all scores in memory:
//
//   loss(n) = -log softmax(x[n] W^T + b)[t[n]]
//
// x is (B..., U), W (V, U), of one floating dtype, t (B...), integers from 0 to
// V - 1 or ignore_label. The result has x's dtype, and shape () or t's.
//
// Scores are computed for some rows at a time, 32 MiB of them or 64 rows, and
// once more for gradients: besides the inputs and their gradients, the function
// needs memory for these, and for one number a row in between. Its results are
// those of the two functions, up to the rounding of sums over rows; in 16 bits,
// W's gradient is rounded once for each part. Gradients that are recorded, for
// derivatives of higher order, need all scores.
//
// Throws InvalidType when dtypes or shapes do not match. Throws ValueError for
// a label out of range, which the message names (on CUDA when the host next
// waits for the device), for an unknown `reduce`, for label_smoothing that is
// not from 0 to 1, and for a soft cap that is negative or not finite.
Variable linear_cross_entropy(const Variable& x, const Variable& W,
                              const Variable& t,
                              const LinearCrossEntropyOptions& options = {});
Variable linear_cross_entropy(const Variable& x, const Variable& W,
                              const Array& t,
                              const LinearCrossEntropyOptions& options = {});

}  // namespace catena::functions
