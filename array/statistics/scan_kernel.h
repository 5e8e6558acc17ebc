#pragma once

#include <cstdint>
#include <string_view>

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
struct ScanFamily {
  static constexpr bool kCompiledOnce = true;
  using Kernel = ScanKernel;
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = NumberTypes;
};
struct Cumsum {
  static constexpr std::string_view kName = "cumsum";
  using Combine = SumOp;
};
struct Cumprod {
  static constexpr std::string_view kName = "cumprod";
  using Combine = ProdOp;
};

// Positions along the axis that are scanned by themselves before they are put
// together with what comes before: so are all results the same whoever
// computes them.
inline constexpr int64_t kScanBlock = 16384;

}  // namespace catena::array
