#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

// The interface between functions that normalize channels and their kernels.
namespace catena::functions {

// One call. Arrays are viewed as (outer, channels, inner), C-contiguous; if
// inner is 1, kernels vectorize along channels, else along inner. Per-channel
// values have the type computed in.
struct ChannelArgs {
  Device device;
  int64_t outer;
  int64_t channels;
  int64_t inner;
  const void* x;
  const void* gy;  // null if the kernel does not need it
  const void* center;
  // Written by moments and sums.
  void* first;
  void* second;
  // Read and written by affine.
  const void* x_factor;
  const void* gy_factor;
  const void* offset;
  void* y;
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
// first = sum of gy, second = sum of gy (x - center).
struct ChannelSumsOp {
  static constexpr std::string_view kName = "sums of channels";
};
// y = x_factor (x - center) + offset, plus gy_factor gy if gy is given.
struct ChannelAffineOp {
  static constexpr std::string_view kName = "normalization of channels";
};

}  // namespace catena::functions
