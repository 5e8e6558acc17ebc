#include "catena/optimizers/smorms3.h"

#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<SMORMS3Options> SMORMS3Options::kHyperparameters[2] = {
    {"lr", &SMORMS3Options::lr}, {"eps", &SMORMS3Options::eps}};

void SMORMS3Options::check() const {
  check_finite("SMORMS3", "lr", lr);
  check_not_negative("SMORMS3", "eps", eps);
}

std::span<const std::string_view> SMORMS3Rule::state_names() const {
  static constexpr std::string_view kNames[] = {"mem", "g", "g2"};
  return kNames;
}

void SMORMS3Rule::init_state(const Parameter& parameter) {
  UpdateRuleOf::init_state(parameter);
  state_array("mem").fill(1);
}

void SMORMS3Rule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        return SMORMS3Op{hyper().lr, hyper().eps};
      },
      {parameter.grad()},
      {parameter.data(), state_array("mem"), state_array("g"),
       state_array("g2")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::SMORMS3Options>;
template class catena::GradientMethod<catena::optimizers::SMORMS3Options,
                                      catena::optimizers::SMORMS3Rule>;
