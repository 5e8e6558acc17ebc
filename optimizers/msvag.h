#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct MSVAGOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.1;    // learning rate, finite
  double beta = 0.9;  // decay of both moments, in [0, 1)
  double eta = 1.0;   // multiplies the whole step, e.g. for a schedule
  double weight_decay_rate = 0.0;  // decoupled decay, at least 0

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<MSVAGOptions> kHyperparameters[4];
};

// Momentum scaled elementwise by the estimated ratio of squared mean to second
// moment; see MSVAGOp.
class MSVAGRule final : public UpdateRuleOf<MSVAGOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// M-SVAG (Balles and Hennig, 2018).
class MSVAG final : public GradientMethod<MSVAGOptions, MSVAGRule> {
 public:
  explicit MSVAG(const MSVAGOptions& options = {}) : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::MSVAGOptions>;
extern template class catena::GradientMethod<catena::optimizers::MSVAGOptions,
                                             catena::optimizers::MSVAGRule>;
