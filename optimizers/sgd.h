#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct SGDOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.01;  // learning rate, finite

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<SGDOptions> kHyperparameters[1];
};

// w <- w - lr g.
class SGDRule final : public UpdateRuleOf<SGDOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  void update_core(const Parameter& parameter) override;
};

// Stochastic gradient descent.
class SGD final : public GradientMethod<SGDOptions, SGDRule> {
 public:
  explicit SGD(const SGDOptions& options = {}) : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::SGDOptions>;
extern template class catena::GradientMethod<catena::optimizers::SGDOptions,
                                             catena::optimizers::SGDRule>;
