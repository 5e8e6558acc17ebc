#include "catena/optimizers/hooks.h"

#include <cmath>

#include "catena/array/error.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/update_elementwise.h"

namespace catena::optimizers {
namespace {

// The gradients of the parameters that are to be updated.
std::vector<Parameter> updated_params(const Optimizer& optimizer) {
  std::vector<Parameter> params;
  for (const Parameter& param : optimizer.target().params()) {
    const auto& rule = param.update_rule();
    if (param.is_initialized() && param.grad().defined() && rule &&
        rule->enabled()) {
      params.push_back(param);
    }
  }
  return params;
}

}  // namespace

WeightDecay::WeightDecay(double rate) : rate_(rate) {
  check_finite(kName, "rate", rate);
}

void WeightDecay::operator()(Optimizer& optimizer) const {
  for (const Parameter& param : updated_params(optimizer)) {
    update_elementwise(WeightDecayOp{rate_}, {param.data()},
                       {param.mutable_grad()});
  }
}

GradientClipping::GradientClipping(double threshold) : threshold_(threshold) {
  if (!(threshold > 0) || !std::isfinite(threshold)) {
    raise<ValueError>("GradientClipping: expected a threshold above 0, got ",
                      threshold);
  }
}

void GradientClipping::operator()(Optimizer& optimizer) const {
  const std::vector<Parameter> params = updated_params(optimizer);
  double square_sum = 0;
  for (const Parameter& param : params) {
    square_sum += array::sum(array::square(param.grad())).item<double>();
  }
  const double rate = threshold_ / std::sqrt(square_sum);
  if (!(rate < 1)) return;
  for (const Parameter& param : params) {
    update_elementwise(ScaleGradientOp{rate}, {}, {param.mutable_grad()});
  }
}

}  // namespace catena::optimizers
