#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct NesterovAGOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.01;       // learning rate, finite
  double momentum = 0.9;  // in [0, 1)

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<NesterovAGOptions> kHyperparameters[2];
};

// v <- momentum v - lr g, w <- w + momentum^2 v - (1 + momentum) lr g, with the
// new v, as in Chainer.
class NesterovAGRule final : public UpdateRuleOf<NesterovAGOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// Nesterov's accelerated gradient, in the form of Bengio et al. (2013).
class NesterovAG final
    : public GradientMethod<NesterovAGOptions, NesterovAGRule> {
 public:
  explicit NesterovAG(const NesterovAGOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<
    catena::optimizers::NesterovAGOptions>;
extern template class catena::GradientMethod<
    catena::optimizers::NesterovAGOptions, catena::optimizers::NesterovAGRule>;
