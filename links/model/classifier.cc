#include "catena/links/model/classifier.h"

#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/reporter.h"

namespace catena::links {

ClassifierBase::ClassifierBase(const ClassifierOptions& options)
    : compute_accuracy(options.compute_accuracy),
      lossfun_(options.lossfun),
      accfun_(options.accfun) {
  if (!lossfun_) {
    lossfun_ = [](const Variable& y, const Variable& t) {
      return functions::softmax_cross_entropy(y, t);
    };
  }
  if (!accfun_) {
    accfun_ = [](const Variable& y, const Variable& t) {
      return functions::accuracy(y, t);
    };
  }
}

Variable ClassifierBase::score(const Variable& prediction, const Variable& t) {
  y = prediction;
  loss = lossfun_(y, t);
  report({{"loss", loss}}, this);
  accuracy = Variable();
  if (compute_accuracy) {
    accuracy = accfun_(y, t);
    report({{"accuracy", accuracy}}, this);
  }
  return loss;
}

}  // namespace catena::links
