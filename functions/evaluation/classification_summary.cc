#include "catena/functions/evaluation/classification_summary.h"

#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/histogram.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/loss/internal/labels.h"

namespace catena::functions {
namespace {

void check_types(std::string_view function, const Variable& y,
                 const Variable& t) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {y, t};
  TypeCheck in(function, inputs);
  const auto [score, label] = in.names<2>({"y", "t"});
  in.expect_floating(score);
  in.expect_integral(label);
  in.expect(score.ndim() >= type_check::Term(2));
  in.expect(label.ndim() == score.ndim() - 1);
  in.expect(score.shape(0) == label.shape(0));
  for (int axis = 2; axis < y.ndim(); ++axis) {
    in.expect(score.shape(axis) == label.shape(axis - 1));
  }
}

// The number of occurrences of each class where `counts` is true.
Array occurrences(const Array& labels, const Array& counts, int64_t classes) {
  // All others go to an extra class.
  const Array kept = array::where(counts, labels, classes);
  return array::bincount(kept.ravel(),
                         {.minlength = classes + 1})[{Slice(0, classes)}];
}

ClassificationSummary summary(std::string_view function, const Variable& y,
                              const Variable& t,
                              const ClassificationSummaryOptions& options) {
  check_types(function, y, t);
  Array labels = t.data().astype(Dtype::kInt64);
  int64_t classes = 0;
  if (options.label_num) {
    classes = *options.label_num;
  } else if (labels.size() > 0) {
    classes = array::max(labels).item<int64_t>() + 1;
  }
  labels =
      CheckedLabels(labels, classes, options.ignore_label, function).array();
  const Array counts = array::greater_equal(labels, 0);

  const Array predicted = array::argmax(y.data(), 1);
  const Array within =
      array::logical_and(counts, array::less(predicted, classes));
  const Array hit = array::logical_and(counts, array::equal(predicted, labels));
  const Array support = occurrences(labels, counts, classes);
  const Array relevant = occurrences(predicted, within, classes);
  const Array hits = occurrences(labels, hit, classes);

  const Array precision = array::true_divide(hits, relevant);
  const Array recall = array::true_divide(hits, support);
  const double beta2 = options.beta * options.beta;
  const Array fbeta =
      precision * recall * (1 + beta2) / (precision * beta2 + recall);
  return {as_variable(precision), as_variable(recall), as_variable(fbeta),
          as_variable(support)};
}

ClassificationSummary summary(std::string_view function, const Variable& y,
                              const Variable& t,
                              const ClassificationOptions& options) {
  return summary(
      function, y, t,
      ClassificationSummaryOptions{.label_num = options.label_num,
                                   .ignore_label = options.ignore_label});
}

}  // namespace

ClassificationSummary classification_summary(
    const Variable& y, const Variable& t,
    const ClassificationSummaryOptions& options) {
  return summary("classification_summary", y, t, options);
}

std::tuple<Variable, Variable> precision(const Variable& y, const Variable& t,
                                         const ClassificationOptions& options) {
  const ClassificationSummary s = summary("precision", y, t, options);
  return {s.precision, s.support};
}

std::tuple<Variable, Variable> recall(const Variable& y, const Variable& t,
                                      const ClassificationOptions& options) {
  const ClassificationSummary s = summary("recall", y, t, options);
  return {s.recall, s.support};
}

std::tuple<Variable, Variable> f1_score(const Variable& y, const Variable& t,
                                        const ClassificationOptions& options) {
  const ClassificationSummary s = summary("f1_score", y, t, options);
  return {s.fbeta, s.support};
}

}  // namespace catena::functions
