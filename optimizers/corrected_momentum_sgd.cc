#include "catena/optimizers/corrected_momentum_sgd.h"

#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/sgd_ops.h"

namespace catena::optimizers {

const Hyperparameter<CorrectedMomentumSGDOptions>
    CorrectedMomentumSGDOptions::kHyperparameters[2] = {
        {"lr", &CorrectedMomentumSGDOptions::lr},
        {"momentum", &CorrectedMomentumSGDOptions::momentum}};

void CorrectedMomentumSGDOptions::check() const {
  check_learning_rate("CorrectedMomentumSGD", "lr", lr);
  check_decay("CorrectedMomentumSGD", "momentum", momentum);
}

std::span<const std::string_view> CorrectedMomentumSGDRule::state_names()
    const {
  static constexpr std::string_view kNames[] = {"v"};
  return kNames;
}

void CorrectedMomentumSGDRule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        return CorrectedMomentumSGDOp{hyper().lr, hyper().momentum};
      },
      {parameter.grad()}, {parameter.data(), state_array("v")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<
    catena::optimizers::CorrectedMomentumSGDOptions>;
template class catena::GradientMethod<
    catena::optimizers::CorrectedMomentumSGDOptions,
    catena::optimizers::CorrectedMomentumSGDRule>;
