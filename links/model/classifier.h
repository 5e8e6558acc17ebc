#pragma once

#include <functional>
#include <utility>

#include "catena/links/chain.h"

namespace catena::links {

// Computes a loss or accuracy from y and t.
using ScoreFunction =
    std::function<Variable(const Variable& y, const Variable& t)>;

struct ClassifierOptions {
  ScoreFunction lossfun = nullptr;  // defaults to softmax_cross_entropy
  ScoreFunction accfun = nullptr;   // defaults to accuracy
  bool compute_accuracy = true;
};

// The part of Classifier that does not depend on the predictor's type.
class ClassifierBase : public ChainBase {
 public:
  using Options = ClassifierOptions;

  bool compute_accuracy = true;
  // Results of the last call; accuracy is undefined if not computed.
  Variable y;
  Variable loss;
  Variable accuracy;

 protected:
  explicit ClassifierBase(const ClassifierOptions& options);
  // Sets y, loss and accuracy, reports "loss" and "accuracy" as observations
  // of this link, and returns the loss.
  Variable score(const Variable& prediction, const Variable& t);

 private:
  ScoreFunction lossfun_;
  ScoreFunction accfun_;
};

// A predictor with a loss function, the usual target of an optimizer.
//
//   L::Classifier model(MLP(100, 10));
//   Variable loss = model(x, t);
template <class Predictor>
class Classifier : public ClassifierBase {
 public:
  explicit Classifier(Predictor link, const ClassifierOptions& options = {})
      : ClassifierBase(options),
        predictor(this, "predictor", std::move(link)) {}

  // The loss of the predictor's output for x against the ground truth t.
  Variable forward(const Variable& x, const Variable& t) {
    return score(predictor(x), t);
  }
  Variable operator()(const Variable& x, const Variable& t) {
    return call_link(*this, x, t);
  }

  Child<Predictor> predictor;
};

}  // namespace catena::links
