#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct SMORMS3Options {
  NamedFieldsOnly keywords = {};
  double lr = 0.001;   // learning rate, finite
  double eps = 1e-16;  // at least 0

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<SMORMS3Options> kHyperparameters[2];
};

// r = 1 / (mem + 1),  g <- (1 - r) g + r grad,  g2 <- (1 - r) g2 + r grad^2,
// x = g^2 / (g2 + eps),  w <- w - min(lr, x) grad / (sqrt(g2) + eps),
// mem <- 1 + mem (1 - x); mem begins with 1.
class SMORMS3Rule final : public UpdateRuleOf<SMORMS3Options> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void init_state(const Parameter& parameter) override;
  void update_core(const Parameter& parameter) override;
};

// SMORMS3 (Simon Funk, 2015), whose averaging window adapts to the gradient's
// noise.
class SMORMS3 final : public GradientMethod<SMORMS3Options, SMORMS3Rule> {
 public:
  explicit SMORMS3(const SMORMS3Options& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::SMORMS3Options>;
extern template class catena::GradientMethod<catena::optimizers::SMORMS3Options,
                                             catena::optimizers::SMORMS3Rule>;
