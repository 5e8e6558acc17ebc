#pragma once

// What kernels do with the moments or the sums of a channel, on any backend.

#include <cstdint>

#include "catena/array/core/dtype.h"
#include "catena/array/core/float16.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/running_statistics_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// The dtype is chosen once per channel, not per element.
CATENA_HOST_DEVICE double read_number(const functions::ChannelNumbers& from,
                                      int64_t channel) {
  switch (from.dtype) {
    case Dtype::kFloat16:
      return static_cast<float>(
          static_cast<const float16*>(from.data)[channel]);
    case Dtype::kBFloat16:
      return static_cast<float>(
          static_cast<const bfloat16*>(from.data)[channel]);
    case Dtype::kFloat32:
      return static_cast<const float*>(from.data)[channel];
    default:
      return static_cast<const double*>(from.data)[channel];
  }
}

CATENA_HOST_DEVICE void write_number(const functions::ChannelNumbers& to,
                                     int64_t channel, double number) {
  switch (to.dtype) {
    case Dtype::kFloat16:
      static_cast<float16*>(to.data)[channel] =
          float16(static_cast<float>(number));
      return;
    case Dtype::kBFloat16:
      static_cast<bfloat16*>(to.data)[channel] =
          bfloat16(static_cast<float>(number));
      return;
    case Dtype::kFloat32:
      static_cast<float*>(to.data)[channel] = static_cast<float>(number);
      return;
    default:
      static_cast<double*>(to.data)[channel] = number;
  }
}

template <class E>
CATENA_HOST_DEVICE void write_numbers(void* to, int64_t channel,
                                      double number) {
  static_cast<E*>(to)[channel] = static_cast<E>(number);
}

template <class E>
CATENA_HOST_DEVICE void finish_moments(const functions::ChannelArgs& args,
                                       int64_t channel, double mean,
                                       double variance) {
  write_numbers<E>(args.first, channel, mean);
  write_numbers<E>(args.second, channel, variance);
  const functions::NormalizationArgs& to = args.normalization;
  const double rest = mean - static_cast<double>(static_cast<E>(mean));
  if (to.rest != nullptr) write_numbers<E>(to.rest, channel, rest);
  if (to.inv_std == nullptr) return;
  const double inv_std = 1 / math::sqrt(variance + to.eps);
  const double factor = read_number(to.gamma, channel) * inv_std;
  write_numbers<E>(to.inv_std, channel, inv_std);
  write_numbers<E>(to.x_factor, channel, factor);
  write_numbers<E>(to.offset, channel,
                   read_number(to.beta, channel) - factor * rest);
  if (to.running_mean.data == nullptr) return;
  double running_mean = read_number(to.running_mean, channel);
  double running_var = read_number(to.running_var, channel);
  const functions::RunningStatisticsOp update = {to.decay, to.mean_rate,
                                                 to.var_rate};
  update(mean, variance, running_mean, running_var);
  write_number(to.running_mean, channel, running_mean);
  write_number(to.running_var, channel, running_var);
}

// With x_hat = (x - mean) inv_std and a = gamma inv_std, sums over the m
// elements of the channel, and `rest` the rounding of the center:
//   gbeta = sum(gy),  ggamma = sum(gy x_hat)
//   gx = a (gy - (gbeta + x_hat ggamma) / m)
template <class E>
CATENA_HOST_DEVICE void finish_sums(const functions::ChannelArgs& args,
                                    int64_t channel, double sum,
                                    double product_from_center) {
  const functions::NormalizationGradientArgs& to = args.gradient;
  const double rest =
      to.rest == nullptr ? 0 : static_cast<const E*>(to.rest)[channel];
  const double product = product_from_center - rest * sum;
  if (to.x_factor == nullptr) {
    write_numbers<E>(args.first, channel, sum);
    write_numbers<E>(args.second, channel, product);
    return;
  }
  const double inv_std = static_cast<const E*>(to.inv_std)[channel];
  const double ggamma = product * inv_std;
  write_number(to.ggamma, channel, ggamma);
  write_number(to.gbeta, channel, sum);
  const double a = read_number(to.gamma, channel) * inv_std;
  const double share = -a / static_cast<double>(args.outer * args.inner);
  const double x_factor = share * inv_std * ggamma;
  write_numbers<E>(to.x_factor, channel, x_factor);
  write_numbers<E>(to.other_factor, channel, a);
  write_numbers<E>(to.offset, channel, share * sum - x_factor * rest);
}

}  // namespace catena::kernels::CATENA_BACKEND
