#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct AdaDeltaOptions {
  NamedFieldsOnly keywords = {};
  double rho = 0.95;  // decay of both means, in [0, 1)
  double eps = 1e-6;  // at least 0

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<AdaDeltaOptions> kHyperparameters[2];
};

// msg <- rho msg + (1 - rho) g^2,  d = sqrt((msdx + eps) / (msg + eps)) g,
// msdx <- rho msdx + (1 - rho) d^2,  w <- w - d.
class AdaDeltaRule final : public UpdateRuleOf<AdaDeltaOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// AdaDelta (Zeiler, 2012), which has no learning rate.
class AdaDelta final : public GradientMethod<AdaDeltaOptions, AdaDeltaRule> {
 public:
  explicit AdaDelta(const AdaDeltaOptions& options = {})
      : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::AdaDeltaOptions>;
extern template class catena::GradientMethod<
    catena::optimizers::AdaDeltaOptions, catena::optimizers::AdaDeltaRule>;
