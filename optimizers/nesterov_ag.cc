#include "catena/optimizers/nesterov_ag.h"

#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/sgd_ops.h"

namespace catena::optimizers {

const Hyperparameter<NesterovAGOptions> NesterovAGOptions::kHyperparameters[2] =
    {{"lr", &NesterovAGOptions::lr},
     {"momentum", &NesterovAGOptions::momentum}};

void NesterovAGOptions::check() const {
  check_learning_rate("NesterovAG", "lr", lr);
  check_decay("NesterovAG", "momentum", momentum);
}

std::span<const std::string_view> NesterovAGRule::state_names() const {
  static constexpr std::string_view kNames[] = {"v"};
  return kNames;
}

void NesterovAGRule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        return NesterovAGOp{hyper().lr, hyper().momentum};
      },
      {parameter.grad()}, {parameter.data(), state_array("v")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::NesterovAGOptions>;
template class catena::GradientMethod<catena::optimizers::NesterovAGOptions,
                                      catena::optimizers::NesterovAGRule>;
