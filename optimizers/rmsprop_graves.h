#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct RMSpropGravesOptions {
  NamedFieldsOnly keywords = {};
  double lr = 1e-4;       // learning rate, finite
  double alpha = 0.95;    // decay of the means, in [0, 1)
  double momentum = 0.9;  // in [0, 1)
  double eps = 1e-4;      // at least 0

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<RMSpropGravesOptions> kHyperparameters[4];
};

// n <- alpha n + (1 - alpha) g^2,  a <- alpha a + (1 - alpha) g,
// delta <- momentum delta - lr g / sqrt(n - a^2 + eps),  w <- w + delta; a is
// called "g" in snapshots.
class RMSpropGravesRule final : public UpdateRuleOf<RMSpropGravesOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// RMSprop with the variance of the gradient and momentum (Graves, 2013).
class RMSpropGraves final
    : public GradientMethod<RMSpropGravesOptions, RMSpropGravesRule> {
 public:
  explicit RMSpropGraves(const RMSpropGravesOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<
    catena::optimizers::RMSpropGravesOptions>;
extern template class catena::GradientMethod<
    catena::optimizers::RMSpropGravesOptions,
    catena::optimizers::RMSpropGravesRule>;
