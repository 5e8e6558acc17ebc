#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct AdaGradOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.001;  // learning rate, finite
  double eps = 1e-8;  // added to the root, at least 0

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<AdaGradOptions> kHyperparameters[2];
};

// h <- h + g^2,  w <- w - lr g / (sqrt(h) + eps).
class AdaGradRule final : public UpdateRuleOf<AdaGradOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// AdaGrad (Duchi et al., 2011).
class AdaGrad final : public GradientMethod<AdaGradOptions, AdaGradRule> {
 public:
  explicit AdaGrad(const AdaGradOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::AdaGradOptions>;
extern template class catena::GradientMethod<catena::optimizers::AdaGradOptions,
                                             catena::optimizers::AdaGradRule>;
