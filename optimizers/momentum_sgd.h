#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct MomentumSGDOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.01;       // learning rate, finite
  double momentum = 0.9;  // in [0, 1)

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<MomentumSGDOptions> kHyperparameters[2];
};

// v <- momentum v - lr g,  w <- w + v.
class MomentumSGDRule final : public UpdateRuleOf<MomentumSGDOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// Gradient descent with momentum (Polyak, 1964), with Chainer's sign of v.
class MomentumSGD final
    : public GradientMethod<MomentumSGDOptions, MomentumSGDRule> {
 public:
  explicit MomentumSGD(const MomentumSGDOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<
    catena::optimizers::MomentumSGDOptions>;
extern template class catena::GradientMethod<
    catena::optimizers::MomentumSGDOptions,
    catena::optimizers::MomentumSGDRule>;
