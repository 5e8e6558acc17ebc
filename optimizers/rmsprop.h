#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct RMSpropOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.01;     // learning rate, finite
  double alpha = 0.99;  // decay of the mean, in [0, 1)
  double eps = 1e-8;    // at least 0
  // Adds eps inside the square root instead of outside.
  bool eps_inside_sqrt = false;

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<RMSpropOptions> kHyperparameters[3];
};

// ms <- alpha ms + (1 - alpha) g^2,  w <- w - lr g / (sqrt(ms) + eps).
class RMSpropRule final : public UpdateRuleOf<RMSpropOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// RMSprop (Tieleman and Hinton, 2012).
class RMSprop final : public GradientMethod<RMSpropOptions, RMSpropRule> {
 public:
  explicit RMSprop(const RMSpropOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::RMSpropOptions>;
extern template class catena::GradientMethod<catena::optimizers::RMSpropOptions,
                                             catena::optimizers::RMSpropRule>;
