#pragma once

#include <cstdint>

#include "catena/array/kernel_slot.h"
#include "catena/array/reduction_ops.h"

// The contract between running sums and products and their kernels.
namespace catena::array {

// A contiguous (outer, extent, inner), none of them 0: the running results
// along the middle axis, in the input's dtype. They may be one array.
struct ScanArgs {
  Device device;
  int64_t outer;
  int64_t extent;
  int64_t inner;
  const char* input;
  char* output;
};

using ScanKernel = void(const ScanArgs& args);
using ScanTable = DtypeTable<ScanKernel>;
// What kernels are offered for.
using ScanTypes = NumberTypes;

extern constinit KernelSlot<ScanTable> cumsum_slot;
extern constinit KernelSlot<ScanTable> cumprod_slot;

// Positions along the axis that are scanned by themselves before they are put
// together with what comes before: so are all results the same whoever
// computes them.
inline constexpr int64_t kScanBlock = 16384;

}  // namespace catena::array
