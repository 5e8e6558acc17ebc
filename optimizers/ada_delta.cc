#include "catena/optimizers/ada_delta.h"

#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<AdaDeltaOptions> AdaDeltaOptions::kHyperparameters[2] = {
    {"rho", &AdaDeltaOptions::rho}, {"eps", &AdaDeltaOptions::eps}};

void AdaDeltaOptions::check() const {
  check_decay("AdaDelta", "rho", rho);
  check_not_negative("AdaDelta", "eps", eps);
}

std::span<const std::string_view> AdaDeltaRule::state_names() const {
  static constexpr std::string_view kNames[] = {"msg", "msdx"};
  return kNames;
}

void AdaDeltaRule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        return AdaDeltaOp{hyper().rho, 1.0 - hyper().rho, hyper().eps};
      },
      {parameter.grad()},
      {parameter.data(), state_array("msg"), state_array("msdx")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::AdaDeltaOptions>;
template class catena::GradientMethod<catena::optimizers::AdaDeltaOptions,
                                      catena::optimizers::AdaDeltaRule>;
