#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftmaxCrossEntropyOptions {
  // Divide by the number of labels that count rather than by the batch size.
  bool normalize = true;
  // Without effect, since no scores are stored: backward computes them anew
  // from x and one number for each row.
  bool cache_score = true;
  // The weight of each class, of shape (C,) and x's dtype.
  Array class_weight = {};
  // Rows with this label give no loss and no gradient.
  int64_t ignore_label = -1;
  // "mean" for one number, "no" for the loss of each row, which is 0 for rows
  // that are ignored.
  std::string_view reduce = "mean";
  // Without effect: the function can always be differentiated twice.
  bool enable_double_backprop = false;
  // For targets that are distributions: "cross-entropy" or "kl-divergence".
  std::string_view soft_target_loss = "cross-entropy";
};

// The cross entropy of softmax(x) over the second axis and of labels:
//
//   loss(n, d...) = -w[t(n, d...)] log softmax(x)[n, t(n, d...), d...]
//
// x is (N, C, d...), floating; t is (N, d...), integers from 0 to C - 1 or
// ignore_label. The result has x's dtype, and shape () or t's. With normalize
// the mean is over the labels that count, 0 when there are none; the weights do
// not change what it is divided by.
//
// t may also be floating and of x's shape: the distribution that each row of x
// should have. It gets no gradient, and weights and ignore_label play no role.
//
// InvalidType when dtypes or shapes do not fit. ValueError for a label out of
// range, which is named (on CUDA, finding it out waits for the device), for
// another `reduce` or soft_target_loss, and for class weights of another
// number, dtype or device.
Variable softmax_cross_entropy(const Variable& x, const Variable& t,
                               const SoftmaxCrossEntropyOptions& options = {});
Variable softmax_cross_entropy(const Variable& x, const Array& t,
                               const SoftmaxCrossEntropyOptions& options = {});

}  // namespace catena::functions
