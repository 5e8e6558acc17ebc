#include "catena/optimizers/momentum_sgd.h"

#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/sgd_ops.h"

namespace catena::optimizers {

const Hyperparameter<MomentumSGDOptions>
    MomentumSGDOptions::kHyperparameters[2] = {
        {"lr", &MomentumSGDOptions::lr},
        {"momentum", &MomentumSGDOptions::momentum}};

void MomentumSGDOptions::check() const {
  check_learning_rate("MomentumSGD", "lr", lr);
  check_decay("MomentumSGD", "momentum", momentum);
}

std::span<const std::string_view> MomentumSGDRule::state_names() const {
  static constexpr std::string_view kNames[] = {"v"};
  return kNames;
}

void MomentumSGDRule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        return MomentumSGDOp{hyper().lr, hyper().momentum};
      },
      {parameter.grad()}, {parameter.data(), state_array("v")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::MomentumSGDOptions>;
template class catena::GradientMethod<catena::optimizers::MomentumSGDOptions,
                                      catena::optimizers::MomentumSGDRule>;
