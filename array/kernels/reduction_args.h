#pragma once

#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/core/max_dims.h"
#include "catena/array/kernels/kernel_slot.h"

// What reduction kernels get (reduction.h).
namespace catena::array {

// A reduction in its simplest form. Input elements with the same index along
// the kept axes give one element of the output. Both lists of axes are sorted
// by decreasing input stride (broadcast axes, whose stride is 0, come first),
// with neighbours merged; each has at least one axis, of extent 1 and stride 0
// if necessary.
struct ReduceArgs {
  struct Kept {
    int64_t extent;
    int64_t in_stride;   // bytes; may be negative
    int64_t out_stride;  // bytes
  };
  struct Reduced {
    int64_t extent;
    int64_t in_stride;  // bytes; negative only when the order matters
  };

  Device device;
  const char* input;
  char* output;
  int64_t outputs;  // the product of the kept extents
  int64_t count;    // the product of the reduced extents; may be 0
  int nkept;
  int nreduced;
  Kept kept[kMaxDims];
  Reduced reduced[kMaxDims];
};

using ReduceKernel = void(const ReduceArgs& args);
// A kernel for each dtype of the input.
using ReduceTable = DtypeTable<ReduceKernel>;

}  // namespace catena::array
