#include "catena/links/model/classifier.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/reporter.h"

namespace catena::links {

ClassifierBase::ClassifierBase(const ClassifierOptions& options)
    : lossfun(options.lossfun),
      accfun(options.accfun),
      compute_accuracy(options.compute_accuracy),
      label_key(options.label_key) {
  if (!lossfun) {
    lossfun = [](const Variable& y, const Variable& t) {
      return functions::softmax_cross_entropy(y, t);
    };
  }
  if (!accfun) {
    accfun = [](const Variable& y, const Variable& t) {
      return functions::accuracy(y, t);
    };
  }
}

void ClassifierBase::move_label_last(std::span<Variable> arguments) const {
  const auto count = static_cast<int>(arguments.size());
  const int label = label_key < 0 ? label_key + count : label_key;
  if (label < 0 || label >= count) {
    raise<IndexError>("Classifier: expected a label_key from ", -count, " to ",
                      count - 1, " for a call with ", count, " arguments, got ",
                      label_key);
  }
  std::rotate(arguments.begin() + label, arguments.begin() + label + 1,
              arguments.end());
}

Variable ClassifierBase::score(const Variable& prediction, const Variable& t) {
  y = prediction;
  loss = lossfun(y, t);
  report({{"loss", loss}}, this);
  accuracy = Variable();
  if (compute_accuracy) {
    accuracy = accfun(y, t);
    report({{"accuracy", accuracy}}, this);
  }
  return loss;
}

}  // namespace catena::links
