#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct CorrectedMomentumSGDOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.01;       // learning rate, finite
  double momentum = 0.9;  // in [0, 1)

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<CorrectedMomentumSGDOptions> kHyperparameters[2];
};

// v <- momentum v - g,  w <- w + lr v.
class CorrectedMomentumSGDRule final
    : public UpdateRuleOf<CorrectedMomentumSGDOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// Gradient descent with a momentum that is independent of the learning rate, so
// that changing the rate takes effect at once.
class CorrectedMomentumSGD final
    : public GradientMethod<CorrectedMomentumSGDOptions,
                            CorrectedMomentumSGDRule> {
 public:
  explicit CorrectedMomentumSGD(const CorrectedMomentumSGDOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<
    catena::optimizers::CorrectedMomentumSGDOptions>;
extern template class catena::GradientMethod<
    catena::optimizers::CorrectedMomentumSGDOptions,
    catena::optimizers::CorrectedMomentumSGDRule>;
