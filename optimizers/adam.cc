#include "catena/optimizers/adam.h"

#include <algorithm>

#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<AdamOptions> AdamOptions::kHyperparameters[8] = {
    {"alpha", &AdamOptions::alpha},
    {"beta1", &AdamOptions::beta1},
    {"beta2", &AdamOptions::beta2},
    {"eps", &AdamOptions::eps},
    {"eta", &AdamOptions::eta},
    {"weight_decay_rate", &AdamOptions::weight_decay_rate},
    {"final_lr", &AdamOptions::final_lr},
    {"gamma", &AdamOptions::gamma}};

void AdamOptions::check() const {
  check_learning_rate("Adam", "alpha", alpha);
  check_decay("Adam", "beta1", beta1);
  check_decay("Adam", "beta2", beta2);
  check_not_negative("Adam", "eps", eps);
  check_finite("Adam", "eta", eta);
  check_not_negative("Adam", "weight_decay_rate", weight_decay_rate);
  check_not_negative("Adam", "final_lr", final_lr);
  check_not_negative("Adam", "gamma", gamma);
}

double AdamOptions::step_size(int64_t t) const {
  return adam_step_size(alpha, beta1, beta2, static_cast<double>(t));
}

double Adam::lr() const {
  return options().step_size(std::max<int64_t>(t(), 1));
}

std::span<const std::string_view> AdamRule::state_names() const {
  static constexpr std::string_view kNames[] = {"m", "v", "vhat"};
  return std::span(kNames).first(hyper().amsgrad ? 3 : 2);
}

AdamStep AdamRule::adam_step() const {
  const AdamOptions hp = hyper();
  return {hp.alpha,  hp.beta1, hp.beta2, hp.eps, hp.eta, hp.weight_decay_rate,
          recipe_t()};
}

AdaBoundStep AdamRule::bound_step() const {
  const AdamOptions hp = hyper();
  return {adam_step(), hp.adabound, hp.final_lr * hp.alpha / initial_alpha_,
          hp.gamma, recipe_t()};
}

void AdamRule::update_core(const Parameter& parameter) {
  const AdamOptions hp = hyper();
  const Array& w = parameter.data();
  Array& m = state_array("m");
  Array& v = state_array("v");
  if (hp.amsgrad) {
    run_fused(
        [this] {
          return AMSBoundStep{bound_step(), recipe_t()};
        },
        {parameter.grad()}, {w, m, v, state_array("vhat")});
  } else if (hp.adabound) {
    run_fused([this] { return bound_step(); }, {parameter.grad()}, {w, m, v});
  } else {
    run_fused([this] { return adam_step(); }, {parameter.grad()}, {w, m, v});
  }
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::AdamOptions>;
template class catena::GradientMethod<catena::optimizers::AdamOptions,
                                      catena::optimizers::AdamRule>;
