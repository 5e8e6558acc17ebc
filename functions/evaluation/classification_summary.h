#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "catena/autograd/variable.h"

// Precision, recall and F-score per class. y is (N, C, d...), floating: the
// largest score along the second axis is the prediction. t is (N, d...),
// integers. The results are (label_num,), on y's device, without gradients:
// float64, and int64 for the support, the number of occurrences of a class in
// t. As in Chainer, precision is NaN for a class that is never predicted, and
// recall for one that does not occur in t. Throws InvalidType when dtypes or
// shapes do not match, ValueError for a label that is neither ignore_label nor
// in [0, label_num).
namespace catena::functions {

struct ClassificationOptions {
  NamedFieldsOnly keywords = {};
  // The number of classes; defaults to the largest label plus 1, whose
  // computation waits for the device.
  std::optional<int64_t> label_num = std::nullopt;
  // Instances with this label are ignored.
  int64_t ignore_label = -1;
};
struct ClassificationSummaryOptions {
  NamedFieldsOnly keywords = {};
  std::optional<int64_t> label_num = std::nullopt;
  // The weight of recall relative to precision in the F-score.
  double beta = 1.0;
  int64_t ignore_label = -1;
};

// For class i, with tp instances of i that are predicted as i:
//   precision  tp / predictions of i
//   recall     tp / support
//   fbeta      (1 + beta^2) precision recall / (beta^2 precision + recall)
struct ClassificationSummary {
  Variable precision;
  Variable recall;
  Variable fbeta;
  Variable support;
};
// Precision, recall, F-beta score and support of each class, from predictions y
// and labels t.
ClassificationSummary classification_summary(
    const Variable& y, const Variable& t,
    const ClassificationSummaryOptions& options = {});

// The precision of each class and its support.
std::tuple<Variable, Variable> precision(
    const Variable& y, const Variable& t,
    const ClassificationOptions& options = {});
// The recall of each class and its support.
std::tuple<Variable, Variable> recall(
    const Variable& y, const Variable& t,
    const ClassificationOptions& options = {});
// The F-score of each class and its support; F1 for the default beta = 1.
std::tuple<Variable, Variable> f1_score(
    const Variable& y, const Variable& t,
    const ClassificationOptions& options = {});

}  // namespace catena::functions
