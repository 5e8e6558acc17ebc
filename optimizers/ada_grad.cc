#include "catena/optimizers/ada_grad.h"

#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<AdaGradOptions> AdaGradOptions::kHyperparameters[2] = {
    {"lr", &AdaGradOptions::lr}, {"eps", &AdaGradOptions::eps}};

void AdaGradOptions::check() const {
  check_learning_rate("AdaGrad", "lr", lr);
  check_not_negative("AdaGrad", "eps", eps);
}

std::span<const std::string_view> AdaGradRule::state_names() const {
  static constexpr std::string_view kNames[] = {"h"};
  return kNames;
}

void AdaGradRule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        return AdaGradOp{hyper().lr, hyper().eps};
      },
      {parameter.grad()}, {parameter.data(), state_array("h")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::AdaGradOptions>;
template class catena::GradientMethod<catena::optimizers::AdaGradOptions,
                                      catena::optimizers::AdaGradRule>;
