#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"

// The interface between functions that normalize channels and their kernels.
namespace catena::functions {

// One number per channel, of any floating dtype: a parameter, its gradient or a
// running average. Null if there is none.
struct ChannelNumbers {
  void* data = nullptr;
  Dtype dtype = Dtype::kFloat32;
};

// What batch normalization derives from the moments of a channel, if inv_std is
// given; `rest` may also be wanted without it.
struct NormalizationArgs {
  ChannelNumbers gamma = {};
  ChannelNumbers beta = {};
  double eps = 0;
  // Written: 1 / sqrt(variance + eps), what rounding took from the mean, and
  // the factor and the offset of ChannelAffineOp.
  void* inv_std = nullptr;
  void* rest = nullptr;
  void* x_factor = nullptr;
  void* offset = nullptr;
  // Updated, if given, as RunningStatisticsOp does.
  ChannelNumbers running_mean = {};
  ChannelNumbers running_var = {};
  double decay = 0;
  double mean_rate = 0;
  double var_rate = 0;
};

// What its gradients derive from the sums, if x_factor is given; `rest` counts
// in any case.
struct NormalizationGradientArgs {
  ChannelNumbers gamma = {};
  const void* inv_std = nullptr;
  const void* rest = nullptr;  // what rounding took from center; null for 0
  // Written: the parameters' gradients, and ChannelAffineOp's numbers.
  ChannelNumbers ggamma = {};
  ChannelNumbers gbeta = {};
  void* x_factor = nullptr;
  void* other_factor = nullptr;
  void* offset = nullptr;
};

// One call. Arrays are viewed as (outer, channels, inner), C-contiguous.
// Per-channel values have the type computed in.
struct ChannelArgs {
  Device device;
  int64_t outer;
  int64_t channels;
  int64_t inner;
  const void* x;
  // The gradient of sums, the addend of affine.
  const void* other;
  // If given, `other` counts as 0 where this is not positive; CUDA only.
  const void* mask;
  const void* center;
  // Written by moments and sums.
  void* first;
  void* second;
  NormalizationArgs normalization;
  NormalizationGradientArgs gradient;
  // Read and written by affine.
  const void* x_factor;
  const void* other_factor;  // null for 1
  const void* offset;
  double low;
  void* y;
  void* masked;  // `other` as it counts; null if not wanted
};

struct ChannelFamily {
  using Kernel = void(const ChannelArgs& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

// first = mean of x, second = its variance, over a channel; 0 for empty
// channels.
struct ChannelMomentsOp {
  static constexpr std::string_view kName = "moments of channels";
};
// first = sum of `other`, second = sum of other (x - center - rest).
struct ChannelSumsOp {
  static constexpr std::string_view kName = "sums of channels";
};
// y = x_factor (x - center) + offset, plus other_factor other if `other` is
// given, but at least `low`; NaN stays NaN.
struct ChannelAffineOp {
  static constexpr std::string_view kName = "normalization of channels";
};

}  // namespace catena::functions
