#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct AdamWStep;

struct AdamWOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.001;     // learning rate, finite
  double beta1 = 0.9;    // decay of the first moment, in [0, 1)
  double beta2 = 0.999;  // decay of the second moment, in [0, 1)
  double eps = 1e-8;     // added to the root of the second moment, at least 0
  double weight_decay = 0.01;  // of a parameter, times lr; at least 0

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<AdamWOptions> kHyperparameters[5];
};

// The update rule of AdamW. With moments without bias, m^ and v^, of step t,
//
//   w <- w (1 - lr weight_decay) - lr m^ / (sqrt(v^) + eps)
//   m^ = m / (1 - beta1^t),  v^ = v / (1 - beta2^t)
class AdamWRule final : public UpdateRuleOf<AdamWOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
};

// Adam with decoupled weight decay (Loshchilov and Hutter, 2019) as PyTorch's
// AdamW has it: decay grows with the learning rate, and eps is added to a
// moment without bias. Chainer's, Adam with weight_decay_rate, does neither.
// Biases and factors of normalization are usually left out:
// update_rule_of(link.b).set_hyperparameter("weight_decay", 0).
class AdamW final : public GradientMethod<AdamWOptions, AdamWRule> {
 public:
  explicit AdamW(const AdamWOptions& options = {}) : GradientMethod(options) {}
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::AdamWOptions>;
extern template class catena::GradientMethod<catena::optimizers::AdamWOptions,
                                             catena::optimizers::AdamWRule>;
