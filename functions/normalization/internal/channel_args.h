#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

// Between functions that normalize each channel and their kernels.
namespace catena::functions {

// One call. Arrays are seen as (outer, channels, inner), in C order; where
// inner is 1 kernels go along the channels, else along inner. What there is one
// of for each channel has the type that elements are computed in.
struct ChannelArgs {
  Device device;
  int64_t outer;
  int64_t channels;
  int64_t inner;
  const void* x;
  const void* gy;  // null where the kernel has no use for it
  const void* center;
  // What moments and sums write.
  void* first;
  void* second;
  // What affine reads and writes.
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

// first = mean of x, second = its variance, of all elements of a channel; 0
// where it has none.
struct ChannelMomentsOp {
  static constexpr std::string_view kName = "moments of channels";
};
// first = sum of gy, second = sum of gy (x - center).
struct ChannelSumsOp {
  static constexpr std::string_view kName = "sums of channels";
};
// y = x_factor (x - center) + offset, and gy_factor gy where there is a gy.
struct ChannelAffineOp {
  static constexpr std::string_view kName = "normalization of channels";
};

}  // namespace catena::functions
