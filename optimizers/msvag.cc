#include "catena/optimizers/msvag.h"

#include "catena/optimizers/adaptive_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<MSVAGOptions> MSVAGOptions::kHyperparameters[4] = {
    {"lr", &MSVAGOptions::lr},
    {"beta", &MSVAGOptions::beta},
    {"eta", &MSVAGOptions::eta},
    {"weight_decay_rate", &MSVAGOptions::weight_decay_rate}};

void MSVAGOptions::check() const {
  check_learning_rate("MSVAG", "lr", lr);
  check_decay("MSVAG", "beta", beta);
  check_finite("MSVAG", "eta", eta);
  check_not_negative("MSVAG", "weight_decay_rate", weight_decay_rate);
}

std::span<const std::string_view> MSVAGRule::state_names() const {
  static constexpr std::string_view kNames[] = {"m", "v"};
  return kNames;
}

void MSVAGRule::update_core(const Parameter& parameter) {
  const auto make_step = [this] {
    const MSVAGOptions hp = hyper();
    return MSVAGStep{hp.lr, hp.beta, hp.eta, hp.weight_decay_rate, recipe_t()};
  };
  run_fused(make_step, {parameter.grad()},
            {parameter.data(), state_array("m"), state_array("v")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::MSVAGOptions>;
template class catena::GradientMethod<catena::optimizers::MSVAGOptions,
                                      catena::optimizers::MSVAGRule>;
