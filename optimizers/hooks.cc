#include "catena/optimizers/hooks.h"

#include <cmath>
#include <utility>

#include "catena/array/error.h"
#include "catena/array/random.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/update_batch.h"

namespace catena::optimizers {
namespace {

double norm_of(const Array& a) {
  return std::sqrt(array::sum(array::square(a)).item<double>());
}

}  // namespace

WeightDecay::WeightDecay(double rate) : rate_(rate) {
  check_finite(kName, "rate", rate);
}

void WeightDecay::operator()(Optimizer& optimizer) const {
  optimizer.weight_decay(rate_);
}

Lasso::Lasso(double rate) : rate_(rate) { check_finite(kName, "rate", rate); }

void Lasso::operator()(Optimizer& optimizer) const {
  UpdateBatch batch;
  for (const Parameter& param : optimizer.updated_params()) {
    batch.add(LassoOp{rate_}, {param.data()}, {param.mutable_grad()});
  }
  batch.run();
}

GradientHardClipping::GradientHardClipping(double lower, double upper)
    : lower_(lower), upper_(upper) {
  if (!(lower <= upper)) {
    raise<ValueError>(kName, ": expected lower <= upper, got ", lower, " and ",
                      upper);
  }
}

void GradientHardClipping::operator()(Optimizer& optimizer) const {
  UpdateBatch batch;
  for (const Parameter& param : optimizer.updated_params()) {
    batch.add(ClampGradientOp{lower_, upper_}, {}, {param.mutable_grad()});
  }
  batch.run();
}

Array exponential_decay_noise(const Array& grad, const GradientNoise& hook,
                              int64_t t) {
  const double scale =
      std::sqrt(hook.eta() / std::pow(1.0 + static_cast<double>(t), 0.55));
  return array::random::normal(0, scale, grad.shape(), grad.dtype(),
                               grad.device());
}

GradientNoise::GradientNoise(double eta, Noise noise)
    : eta_(eta), noise_(std::move(noise)) {
  check_not_negative(kName, "eta", eta);
}

void GradientNoise::operator()(Optimizer& optimizer) const {
  for (const Parameter& param : optimizer.updated_params()) {
    param.mutable_grad() += noise_(param.grad(), *this, optimizer.t());
  }
}

GradientLARS::GradientLARS(const GradientLARSOptions& options)
    : options_(options) {
  check_not_negative(kName, "threshold", options.threshold);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  check_not_negative(kName, "eps", options.eps);
}

void GradientLARS::operator()(Optimizer& optimizer) const {
  UpdateBatch batch;
  for (const Parameter& param : optimizer.updated_params()) {
    const double param_norm = norm_of(param.data());
    const double rate =
        param_norm > options_.threshold
            ? param_norm / (options_.eps + norm_of(param.grad()) +
                            options_.weight_decay * param_norm)
            : 1.0;
    batch.add(LARSOp{rate, options_.weight_decay}, {param.data()},
              {param.mutable_grad()});
  }
  batch.run();
}

GradientClipping::GradientClipping(double threshold) : threshold_(threshold) {
  check_positive(kName, "threshold", threshold);
}

void GradientClipping::operator()(Optimizer& optimizer) const {
  optimizer.clip_grads(threshold_);
}

}  // namespace catena::optimizers
