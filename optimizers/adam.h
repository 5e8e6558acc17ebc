#pragma once

#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct AdamStep;
struct AdaBoundStep;

struct AdamOptions {
  NamedFieldsOnly keywords = {};
  double alpha = 0.001;  // step size, finite
  double beta1 = 0.9;    // decay of the first moment, in [0, 1)
  double beta2 = 0.999;  // decay of the second moment, in [0, 1)
  double eps = 1e-8;     // added to the root of the second moment, at least 0
  double eta = 1.0;      // multiplies the whole step, e.g. for a schedule
  double weight_decay_rate = 0.0;  // decoupled decay, at least 0
  // Divides by the maximum of all second moments so far (Reddi et al., 2018).
  bool amsgrad = false;
  // Clips step sizes to bounds that converge to final_lr at a rate set by gamma
  // (Luo et al., 2019); both must be positive.
  bool adabound = false;
  double final_lr = 0.1;
  double gamma = 1e-3;

  // Throws ValueError when an option is out of range.
  void check() const;
  // alpha sqrt(1 - beta2^t) / (1 - beta1^t), for t from 1.
  double step_size(int64_t t) const;
  static const Hyperparameter<AdamOptions> kHyperparameters[8];
};

// The update rule of Adam, with bias-corrected step size alpha_t.
class AdamRule final : public UpdateRuleOf<AdamOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;
  bool is_fused() const override { return true; }

 private:
  std::span<const std::string_view> state_names() const override;
  void update_core(const Parameter& parameter) override;
  // The recipes of this step's functors.
  AdamStep adam_step() const;
  AdaBoundStep bound_step() const;

  // final_lr is relative to this initial alpha, and scales with alpha.
  double initial_alpha_ = hyper().alpha;
};

// Adam (Kingma and Ba, 2015), with the decoupled weight decay of AdamW
// (Loshchilov and Hutter, 2019), AMSGrad, AdaBound and, with both options,
// AMSBound.
class Adam final : public GradientMethod<AdamOptions, AdamRule> {
 public:
  explicit Adam(const AdamOptions& options = {}) : GradientMethod(options) {}

  // The step size alpha_t of the last step; before the first step, of the
  // first.
  double lr() const override;
};

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::AdamOptions>;
extern template class catena::GradientMethod<catena::optimizers::AdamOptions,
                                             catena::optimizers::AdamRule>;
