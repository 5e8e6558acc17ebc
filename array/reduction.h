#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/array/kernel_slot.h"

// The machinery of reductions between routines and kernels. A routine settles
// dtypes and axes; plan_reduction folds them into the fewest loops; the kernel
// of the device runs them.
namespace catena::array {

// One reduction in its simplest form. The elements of the input that have the
// same position along the kept axes give one element of the output. Both lists
// of axes are ordered from the largest stride of the input to the smallest
// (broadcast axes, whose stride is 0, come first), with neighbours merged; each
// holds at least one axis, of extent 1 and stride 0 if need be.
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

// Folds the reduction of `input` over `axes` (normalized, sorted) into
// `output`, which is contiguous and has the elements that the kept axes ask
// for. With `ordered` a position along the reduced axes keeps its meaning:
// there must be one axis only, and it is walked as it is.
void plan_reduction(const Array& input, const Axes& axes, const Array& output,
                    bool ordered, ReduceArgs& args);

}  // namespace catena::array
