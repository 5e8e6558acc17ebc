#include "catena/optimizers/hooks.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/update_batch.h"

namespace catena::optimizers {
namespace {

// The parameters on one device, with the values that GradientLARS needs.
struct LARSParams {
  Device device;
  std::vector<Parameter> params = {};
  std::vector<Array> square_norms = {};  // of values
  std::vector<Array> grad_square_norms = {};
};

}  // namespace

WeightDecay::WeightDecay(double rate) : rate_(rate) {
  check_finite(kName, "rate", rate);
}

void WeightDecay::operator()(Optimizer& optimizer) const {
  optimizer.weight_decay(rate_);
}

Lasso::Lasso(double rate) : rate_(rate) { check_finite(kName, "rate", rate); }

void Lasso::operator()(Optimizer& optimizer) const {
  optimizer.change_gradients(
      [&](UpdateBatch& batch, const Parameter& param, const Array& grad) {
        batch.add(LassoOp{rate_}, {param.data()}, {grad});
      });
}

GradientHardClipping::GradientHardClipping(double lower, double upper)
    : lower_(lower), upper_(upper) {
  if (!(lower <= upper)) {
    raise<ValueError>(kName, ": expected lower <= upper, got ", lower, " and ",
                      upper);
  }
}

void GradientHardClipping::operator()(Optimizer& optimizer) const {
  optimizer.change_gradients(
      [&](UpdateBatch& batch, const Parameter& /*param*/, const Array& grad) {
        batch.add(ClampGradientOp{lower_, upper_}, {}, {grad});
      });
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
  if (current_capture() != nullptr) {
    raise<NotImplementedError>(
        "GradientNoise: expected no capture of the step, in which the noise of "
        "all launches would be that of step ",
        optimizer.t());
  }
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

// All norms stay on the device.
void GradientLARS::operator()(Optimizer& optimizer) const {
  std::vector<LARSParams> devices;
  for (const Parameter& param : optimizer.updated_params()) {
    const auto it =
        std::ranges::find(devices, param.device(), &LARSParams::device);
    LARSParams& same = it != devices.end()
                           ? *it
                           : devices.emplace_back(LARSParams{param.device()});
    same.params.push_back(param);
    same.square_norms.push_back(array::sum_of_squares(param.data()));
    same.grad_square_norms.push_back(array::sum_of_squares(param.grad()));
  }
  UpdateBatch batch;
  for (const LARSParams& of_device : devices) {
    const Array norms = array::sqrt(array::stack(of_device.square_norms));
    const Array grad_norms =
        array::sqrt(array::stack(of_device.grad_square_norms));
    const Array scales = array::where(
        array::greater(norms, options_.threshold),
        norms / (grad_norms + norms * options_.weight_decay + options_.eps),
        1.0);
    for (size_t i = 0; i < of_device.params.size(); ++i) {
      const Parameter& param = of_device.params[i];
      const Array scale = scales[static_cast<int64_t>(i)]
                              .astype(param.dtype())
                              .broadcast_to(param.shape());
      batch.add(LARSOp{options_.weight_decay}, {param.data(), scale},
                {param.mutable_grad()});
    }
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
