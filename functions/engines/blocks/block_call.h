#pragma once

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/functions/engines/blocks/block_args.h"

namespace catena::functions {

// Runs the functor for items 0 to `blocks` - 1. Each costs about as much as
// `work` elements of a simple loop. `dtype` is the functor's Stored type;
// throws DtypeError unless it is floating.
template <class Op>
void run_blocks(const Op& op, Dtype dtype, Device device, int64_t blocks,
                int64_t work) {
  BlockFamily::Kernel* kernel = kernel_slot<BlockFamily, Op>.on(device)[dtype];
  if (kernel == nullptr) {
    raise<DtypeError>(Op::kName, ": not offered for dtype ", dtype);
  }
  constexpr int64_t kGrain = 16384;
  if (blocks > 0) {
    kernel({device, blocks,
            std::max<int64_t>(1, kGrain / std::max<int64_t>(work, 1)), &op});
  }
}

}  // namespace catena::functions
