#pragma once

#include <cstdint>

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

using ChannelKernel = void(const ChannelArgs& args);

struct ChannelTables {
  // first = mean of x, second = its variance, of all elements of a channel; 0
  // where it has none.
  DtypeTable<ChannelKernel> moments;
  // first = sum of gy, second = sum of gy (x - center).
  DtypeTable<ChannelKernel> sums;
  // y = x_factor (x - center) + offset, and gy_factor gy where there is a gy.
  DtypeTable<ChannelKernel> affine;
};

}  // namespace catena::functions

// Where each compilation of the kernels puts its tables.
namespace catena::array {

namespace cpu_baseline {
extern const functions::ChannelTables kChannelTables;
}
#ifndef CATENA_ONLY_CPU_BASELINE
namespace cpu_avx2 {
extern const functions::ChannelTables kChannelTables;
}
namespace cpu_avx512 {
extern const functions::ChannelTables kChannelTables;
}
#endif

}  // namespace catena::array

namespace catena::functions {

// CUDA's tables are installed when its library is linked.
inline constinit KernelSlot<ChannelTables> channel_slot = {
    "normalization of channels",
    {&array::cpu_baseline::kChannelTables, &array::cpu_avx2::kChannelTables,
     &array::cpu_avx512::kChannelTables, nullptr}};

}  // namespace catena::functions
