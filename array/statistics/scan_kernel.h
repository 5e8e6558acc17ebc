#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/array/core/host_device.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/reduction_ops.h"

// The interface between cumulative sums and products and their kernels.
namespace catena::array {

// The scan of a contiguous (outer, extent, inner) array, no extent 0, along the
// middle axis, in the input's dtype. Input and output may be the same.
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
// Begins with -0, which added to -0 is -0: the first sum is the first element.
struct RunningSumOp : SumOp {
  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return std::is_floating_point_v<V> ? V(-0.0) : V(0);
  }
};
struct Cumsum {
  static constexpr std::string_view kName = "cumsum";
  using Combine = RunningSumOp;
};
struct Cumprod {
  static constexpr std::string_view kName = "cumprod";
  using Combine = ProdOp;
};

// The block length: blocks are scanned separately, then combined with the
// preceding ones, so that results do not depend on the number of threads.
inline constexpr int64_t kScanBlock = 16384;

}  // namespace catena::array
