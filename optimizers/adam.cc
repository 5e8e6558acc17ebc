#include "catena/optimizers/adam.h"

#include <cmath>

#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/update_elementwise.h"

namespace catena::optimizers {

const Hyperparameter<AdamOptions> AdamOptions::kHyperparameters[6] = {
    {"alpha", &AdamOptions::alpha},
    {"beta1", &AdamOptions::beta1},
    {"beta2", &AdamOptions::beta2},
    {"eps", &AdamOptions::eps},
    {"eta", &AdamOptions::eta},
    {"weight_decay_rate", &AdamOptions::weight_decay_rate}};

void AdamOptions::check() const {
  check_finite("Adam", "alpha", alpha);
  check_decay("Adam", "beta1", beta1);
  check_decay("Adam", "beta2", beta2);
  check_not_negative("Adam", "eps", eps);
  check_finite("Adam", "eta", eta);
  check_not_negative("Adam", "weight_decay_rate", weight_decay_rate);
}

std::span<const std::string_view> AdamRule::state_names() const {
  static constexpr std::string_view kNames[] = {"m", "v"};
  return kNames;
}

void AdamRule::update_core(const Parameter& parameter) {
  const AdamOptions& hp = hyper();
  const auto steps = static_cast<double>(t());
  const double alpha_t = hp.alpha * std::sqrt(1.0 - std::pow(hp.beta2, steps)) /
                         (1.0 - std::pow(hp.beta1, steps));
  update_elementwise(AdamOp{alpha_t, 1.0 - hp.beta1, 1.0 - hp.beta2, hp.eps,
                            hp.eta, hp.weight_decay_rate},
                     {parameter.grad()},
                     {parameter.data(), state_array("m"), state_array("v")});
}

}  // namespace catena::optimizers
