#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SoftmaxCrossEntropyOptions {
  NamedFieldsOnly keywords = {};
  // Divide by the number of labels that are not ignored rather than by the
  // batch size.
  bool normalize = true;
  // Has no effect: backward recomputes the scores from x and one value per row.
  bool cache_score = true;
  // The weight of each class, of shape (C,) and x's dtype.
  Array class_weight = {};
  // Rows with this label give no loss and no gradient.
  int64_t ignore_label = -1;
  // "mean", or "no" for the loss of each row, which is 0 for ignored rows.
  std::string_view reduce = "mean";
  // Has no effect: the function can always be differentiated twice.
  bool enable_double_backprop = false;
  // For targets that are distributions: "cross-entropy" or "kl-divergence".
  std::string_view soft_target_loss = "cross-entropy";
  // How much of each target goes to all classes alike, from 0 to 1 (Szegedy et
  // al.: Rethinking the Inception Architecture for Computer Vision, 2016).
  double label_smoothing = 0;
};

// The cross entropy of softmax(x), over the second axis, with labels:
//
//   loss(n, d...) = -w[t(n, d...)] log softmax(x)[n, t(n, d...), d...]
//
// x is (N, C, d...), floating; t is (N, d...), integers from 0 to C - 1 or
// ignore_label. The result has x's dtype, and shape () or t's. With normalize,
// the mean is over the labels that are not ignored, or 0 when there are none;
// class weights do not change the divisor.
//
// With label_smoothing e, the target of class c is w[c] ((1 - e) [c == t] + e /
// C) and no longer w[c] [c == t]: class weights weigh the classes that share e,
// too, and rows that are ignored still give no loss. This is PyTorch's meaning,
// whose mean with class weights divides by the weights of the labels, however.
//
// t may also be floating with x's shape: the target distribution of each row.
// It gets no gradient; class_weight and ignore_label are not used, and
// label_smoothing makes it (1 - e) t + e / C.
//
// Throws InvalidType when dtypes or shapes do not match. Throws ValueError for
// a label out of range, which the message names (on CUDA when the host next
// waits for the device), for an unknown `reduce` or soft_target_loss, for class
// weights with the wrong shape, dtype or device, and for label_smoothing that
// is not from 0 to 1.
Variable softmax_cross_entropy(const Variable& x, const Variable& t,
                               const SoftmaxCrossEntropyOptions& options = {});
Variable softmax_cross_entropy(const Variable& x, const Array& t,
                               const SoftmaxCrossEntropyOptions& options = {});

}  // namespace catena::functions
