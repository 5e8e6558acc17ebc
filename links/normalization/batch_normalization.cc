#include "catena/links/normalization/batch_normalization.h"

#include <algorithm>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/normalization/internal/channel_call.h"

namespace catena::links {
namespace {

Initializer with_dtype(const Initializer& initializer, Dtype dtype) {
  return Initializer(initializer, initializer.dtype().value_or(dtype));
}

const std::optional<Shape>& checked_size(const std::optional<Shape>& size) {
  if (size && std::any_of(size->begin(), size->end(),
                          [](int64_t extent) { return extent <= 0; })) {
    raise<ValueError>("BatchNormalization: expected a positive size, got ",
                      *size);
  }
  return size;
}

}  // namespace

BatchNormalization::BatchNormalization(std::optional<Shape> size,
                                       const BatchNormalizationOptions& options)
    : decay(options.decay),
      eps(options.eps),
      gamma(options.use_gamma ? Param(this, "gamma",
                                      with_dtype(options.initial_gamma,
                                                 get_dtype(options.dtype)),
                                      checked_size(size))
                              : Param()),
      beta(options.use_beta ? Param(this, "beta",
                                    with_dtype(options.initial_beta,
                                               get_dtype(options.dtype)),
                                    checked_size(size))
                            : Param()),
      avg_mean(this, "avg_mean"),
      avg_var(this, "avg_var"),
      axis_(options.axis),
      initial_avg_mean_(options.initial_avg_mean),
      initial_avg_var_(options.initial_avg_var),
      dtype_(get_dtype(options.dtype)) {
  if (!(decay >= 0 && decay <= 1) || !(eps >= 0)) {
    raise<ValueError>(
        "BatchNormalization: expected decay in [0, 1] and eps of at least 0, "
        "got ",
        decay, " and ", eps);
  }
  add_persistent("N", N);
  if (checked_size(size)) initialize_statistics(*size);
}

void BatchNormalization::initialize_statistics(const Shape& size) {
  avg_mean = array::empty(size, initial_avg_mean_.dtype().value_or(dtype_));
  initial_avg_mean_(avg_mean);
  avg_var = array::empty(size, initial_avg_var_.dtype().value_or(dtype_));
  initial_avg_var_(avg_var);
}

void BatchNormalization::initialize(const Variable& x) {
  if (avg_mean.defined()) return;
  const Axes axes =
      functions::channel_axes(axis_, x.ndim(), "BatchNormalization");
  Shape size;
  for (const int64_t key : functions::key_axes(x.shape(), axes)) {
    size.push_back(x.shape()[static_cast<int>(key)]);
  }
  if (gamma.defined()) gamma.initialize(size);
  if (beta.defined()) beta.initialize(size);
  initialize_statistics(size);
  InitializationScope::add([this, place = place()] {
    if (place->link == nullptr) return;
    avg_mean = Array();
    avg_var = Array();
  });
  const Device device = x.device();
  avg_mean = avg_mean.to_device(device);
  avg_var = avg_var.to_device(device);
}

double BatchNormalization::decay_of_call(
    const BatchNormalizationCallOptions& options) {
  if (!options.finetune) return decay;
  if (current_capture() != nullptr) {
    raise<NotImplementedError>(
        "BatchNormalization: expected no finetune in a call that is captured, "
        "in which all launches would have the decay of call ",
        N + 1);
  }
  ++N;
  return 1 - 1.0 / static_cast<double>(N);
}

Variable BatchNormalization::gamma_or_ones() const {
  return gamma.defined() ? Variable(gamma)
                         : as_variable(array::ones_like(avg_mean));
}

Variable BatchNormalization::beta_or_zeros() const {
  return beta.defined() ? Variable(beta)
                        : as_variable(array::zeros_like(avg_mean));
}

Variable BatchNormalization::finish(
    const Variable& y, const BatchNormalizationCallOptions& options) {
  const Variable sum = options.residual.defined() ? y + options.residual : y;
  return options.relu ? functions::relu(sum) : sum;
}

Variable BatchNormalization::forward(
    const Variable& x, const BatchNormalizationCallOptions& options) {
  initialize(x);
  if (!config().train) {
    return finish(
        functions::fixed_batch_normalization(
            x, gamma_or_ones(), beta_or_zeros(), as_variable(avg_mean),
            as_variable(avg_var), {.eps = eps, .axis = axis_}),
        options);
  }
  return functions::batch_normalization(x, gamma_or_ones(), beta_or_zeros(),
                                        {.eps = eps,
                                         .running_mean = avg_mean,
                                         .running_var = avg_var,
                                         .decay = decay_of_call(options),
                                         .axis = axis_,
                                         .residual = options.residual,
                                         .relu = options.relu});
}

}  // namespace catena::links
