#include "catena/optimizers/adamw.h"

#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/check_hyperparameter.h"

namespace catena::optimizers {

const Hyperparameter<AdamWOptions> AdamWOptions::kHyperparameters[5] = {
    {"lr", &AdamWOptions::lr},
    {"beta1", &AdamWOptions::beta1},
    {"beta2", &AdamWOptions::beta2},
    {"eps", &AdamWOptions::eps},
    {"weight_decay", &AdamWOptions::weight_decay}};

void AdamWOptions::check() const {
  check_learning_rate("AdamW", "lr", lr);
  check_decay("AdamW", "beta1", beta1);
  check_decay("AdamW", "beta2", beta2);
  check_not_negative("AdamW", "eps", eps);
  check_not_negative("AdamW", "weight_decay", weight_decay);
}

std::span<const std::string_view> AdamWRule::state_names() const {
  static constexpr std::string_view kNames[] = {"m", "v"};
  return kNames;
}

void AdamWRule::update_core(const Parameter& parameter) {
  run_fused(
      [this] {
        const AdamWOptions hp = hyper();
        return AdamWStep{hp.lr,  hp.beta1,        hp.beta2,
                         hp.eps, hp.weight_decay, recipe_t()};
      },
      {parameter.grad()},
      {parameter.data(), state_array("m"), state_array("v")});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::AdamWOptions>;
template class catena::GradientMethod<catena::optimizers::AdamWOptions,
                                      catena::optimizers::AdamWRule>;
