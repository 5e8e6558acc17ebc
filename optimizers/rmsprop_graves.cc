#include "catena/optimizers/rmsprop_graves.h"

#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<RMSpropGravesOptions>
    RMSpropGravesOptions::kHyperparameters[4] = {
        {"lr", &RMSpropGravesOptions::lr},
        {"alpha", &RMSpropGravesOptions::alpha},
        {"momentum", &RMSpropGravesOptions::momentum},
        {"eps", &RMSpropGravesOptions::eps}};

void RMSpropGravesOptions::check() const {
  check_learning_rate("RMSpropGraves", "lr", lr);
  check_decay("RMSpropGraves", "alpha", alpha);
  check_decay("RMSpropGraves", "momentum", momentum);
  check_not_negative("RMSpropGraves", "eps", eps);
}

std::span<const std::string_view> RMSpropGravesRule::state_names() const {
  static constexpr std::string_view kNames[] = {"n", "g", "delta"};
  return kNames;
}

void RMSpropGravesRule::update_core(const Parameter& parameter) {
  const auto make_op = [this] {
    return RMSpropGravesOp{hyper().lr, hyper().alpha, 1.0 - hyper().alpha,
                           hyper().momentum, hyper().eps};
  };
  run_fused(make_op, {parameter.grad()},
            {parameter.data(), state_array("n"), state_array("g"),
             state_array("delta")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::RMSpropGravesOptions>;
template class catena::GradientMethod<catena::optimizers::RMSpropGravesOptions,
                                      catena::optimizers::RMSpropGravesRule>;
