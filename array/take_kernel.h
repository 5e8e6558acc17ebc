#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/deferred_errors.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/take.h"

// The slots behind take.h. Indices are contiguous int64 on args.device.
namespace catena::array {

// An array seen as (outer, extent, inner): the axes before the indexed one,
// that axis, and contiguous bytes.
struct IndexedArgs {
  Device device;
  // With kRaise the CPU's indices are known to be in range, and a GPU reports
  // those that are not, if there is an error.
  IndexMode mode;
  int64_t outer;
  int64_t extent;        // at least 1
  int64_t inner_bytes;   // of one slice, a multiple of the item's size
  int64_t outer_stride;  // bytes
  int64_t axis_stride;   // bytes
  char* array;
  const int64_t* indices;
  int64_t count;
  // (outer, count, inner), contiguous: what take writes and scatter reads.
  char* values;
  std::string_view operation = {};
  const DeferredError* error = nullptr;  // for {index, extent}
};

struct TakeKernels {
  static constexpr std::string_view kName = "take";
  static constexpr bool kCompiledOnce = true;
  using Table = TakeKernels;

  void (*take)(const IndexedArgs& args, int64_t item_size);
  // The position of the first index outside [-extent, extent), or -1.
  int64_t (*find_bad_index)(Device device, const int64_t* indices,
                            int64_t count, int64_t extent);
  // Reports {index, extent, axis} for an index outside [least, extent), without
  // waiting. Only GPUs have it.
  void (*report_bad_index)(Device device, const int64_t* indices, int64_t count,
                           int64_t least, int64_t extent, int64_t axis,
                           const ErrorReporter& reporter) = nullptr;
};
// The values of one element are applied in the order of the indices, but for
// long sums on a GPU (scatter_add in take.h).
using ScatterKernel = void(const IndexedArgs& args);
struct ScatterFamily {
  static constexpr bool kCompiledOnce = true;
  using Kernel = ScatterKernel;
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = typename Op::Dtypes;
};
struct ScatterAdd {
  static constexpr std::string_view kName = "scatter_add";
  // No 16-bit floats: the routine sums them as float.
  using Dtypes = decltype(BoolTypes() + IntTypes() + TypeList<float, double>());
};
struct ScatterUpdate {
  static constexpr std::string_view kName = "scatter_update";
  using Dtypes = AllTypes;
};

// The slice that an index selects, or -1 to skip it; `mode` as in IndexedArgs.
CATENA_HOST_DEVICE int64_t resolve_index(int64_t index, int64_t extent,
                                         IndexMode mode) {
  if (mode == IndexMode::kWrap) {
    index %= extent;
  } else if (mode != IndexMode::kRaise) {
    if (mode == IndexMode::kSkip) {
      return index >= 0 && index < extent ? index : -1;
    }
    return index < 0 ? 0 : (index < extent ? index : extent - 1);
  }
  return index < 0 ? index + extent : index;
}

}  // namespace catena::array
