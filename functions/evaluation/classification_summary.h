#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "catena/autograd/variable.h"

// How well scores classify, for each class. y is (N, C, d...), floating: the
// largest score along the second axis is the prediction. t is (N, d...),
// integers. The results are on y's device, (label_num,), without gradients:
// float64, and int64 for the support, which is how often a class occurs in t. A
// class that does not occur - in the predictions, for precision; in t, for
// recall - has NaN, as in Chainer. InvalidType when dtypes or shapes do not
// fit, ValueError for a label that is neither ignore_label nor in [0,
// label_num).
namespace catena::functions {

struct ClassificationOptions {
  // The number of classes; one more than the largest label when absent, which
  // waits for the device.
  std::optional<int64_t> label_num = std::nullopt;
  // Instances with this label do not count.
  int64_t ignore_label = -1;
};
struct ClassificationSummaryOptions {
  std::optional<int64_t> label_num = std::nullopt;
  // How many times more recall weighs than precision in the F-score.
  double beta = 1.0;
  int64_t ignore_label = -1;
};

// For class i, with tp the number of its instances that are predicted as i:
//   precision  tp / predictions of i
//   recall     tp / support
//   fbeta      (1 + beta^2) precision recall / (beta^2 precision + recall)
struct ClassificationSummary {
  Variable precision;
  Variable recall;
  Variable fbeta;
  Variable support;
};
ClassificationSummary classification_summary(
    const Variable& y, const Variable& t,
    const ClassificationSummaryOptions& options = {});

// One of them, and the support.
std::tuple<Variable, Variable> precision(
    const Variable& y, const Variable& t,
    const ClassificationOptions& options = {});
std::tuple<Variable, Variable> recall(
    const Variable& y, const Variable& t,
    const ClassificationOptions& options = {});
std::tuple<Variable, Variable> f1_score(
    const Variable& y, const Variable& t,
    const ClassificationOptions& options = {});

}  // namespace catena::functions
