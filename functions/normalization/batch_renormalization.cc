#include "catena/functions/normalization/batch_renormalization.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/internal/batch_normalization_node.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "batch_renormalization";
constexpr std::string_view kNames[] = {"x", "gamma", "beta"};

// The running statistic, or a constant if there is none.
Array running_or(const Array& running, double value, const Array& like) {
  if (!running.defined()) return array::full_like(like, value);
  return as_coefficients(running, like.dtype());
}

}  // namespace

Variable batch_renormalization(const Variable& x, const Variable& gamma,
                               const Variable& beta, double rmax, double dmax,
                               const BatchRenormalizationOptions& options) {
  if (!(rmax >= 1) || !(dmax >= 0)) {
    raise<ValueError>(kName, ": expected rmax >= 1 and dmax >= 0, got ", rmax,
                      " and ", dmax);
  }
  const RunningStatistics running = running_statistics(options);
  check_batch_options(options.eps, running, gamma, kName);
  const VariableRef inputs[] = {x, gamma, beta};
  TypeCheck check(kName, inputs);
  check_channel_types(check, kNames, options.axis, kName);

  const ChannelLayout layout(x.data(),
                             channel_axes(options.axis, x.ndim(), kName));
  const ChannelMoments moments = channel_moments(layout.pack(x.data()), layout);
  const Array running_std = array::sqrt(
      running_or(options.running_var, 1, moments.var) + options.eps);
  const Array std = array::sqrt(moments.var + options.eps);
  const Array r = (std / running_std).clip(1 / rmax, rmax);
  // What is close to the mean comes first, or the rest would be rounded away.
  const RoundedNumbers& mean = moments.mean;
  const Array from_running = mean.rounded -
                             running_or(options.running_mean, 0, mean.rounded) +
                             mean.rest;
  const Array d = (from_running / running_std).clip(-dmax, dmax);
  const auto as_parameter = [&](const Array& numbers) {
    return numbers.reshape(gamma.shape()).astype(gamma.dtype());
  };
  return apply<BatchNormalization>(
      {x, gamma * as_parameter(r), beta + gamma * as_parameter(d)},
      options.axis, options.eps, options.update_statistics ? &running : nullptr,
      /*relu=*/false, moments);
}

Variable fixed_batch_renormalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    const Variable& mean, const Variable& var,
    const FixedBatchNormalizationOptions& options) {
  return fixed_batch_normalization(x, gamma, beta, mean, var, options);
}

}  // namespace catena::functions
