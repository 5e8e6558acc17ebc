#include "catena/optimizers/rmsprop.h"

#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<RMSpropOptions> RMSpropOptions::kHyperparameters[3] = {
    {"lr", &RMSpropOptions::lr},
    {"alpha", &RMSpropOptions::alpha},
    {"eps", &RMSpropOptions::eps}};

void RMSpropOptions::check() const {
  check_learning_rate("RMSprop", "lr", lr);
  check_decay("RMSprop", "alpha", alpha);
  check_not_negative("RMSprop", "eps", eps);
}

std::span<const std::string_view> RMSpropRule::state_names() const {
  static constexpr std::string_view kNames[] = {"ms"};
  return kNames;
}

void RMSpropRule::update_core(const Parameter& parameter) {
  const auto make_op = [this] {
    const RMSpropOptions hp = hyper();
    return RMSpropOp{hp.lr, hp.alpha, 1.0 - hp.alpha,
                     hp.eps_inside_sqrt ? hp.eps : 0.0,
                     hp.eps_inside_sqrt ? 0.0 : hp.eps};
  };
  run_fused(make_op, {parameter.grad()}, {parameter.data(), state_array("ms")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::RMSpropOptions>;
template class catena::GradientMethod<catena::optimizers::RMSpropOptions,
                                      catena::optimizers::RMSpropRule>;
