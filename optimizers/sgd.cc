#include "catena/optimizers/sgd.h"

#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/sgd_ops.h"

namespace catena::optimizers {

const Hyperparameter<SGDOptions> SGDOptions::kHyperparameters[1] = {
    {"lr", &SGDOptions::lr}};

void SGDOptions::check() const { check_learning_rate("SGD", "lr", lr); }

void SGDRule::update_core(const Parameter& parameter) {
  run_fused([this] { return SGDOp{hyper().lr}; }, {parameter.grad()},
            {parameter.data()});
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::SGDOptions>;
template class catena::GradientMethod<catena::optimizers::SGDOptions,
                                      catena::optimizers::SGDRule>;
