#pragma once

#include <cstdint>

#include "catena/array/cuda/reduction_params.h"
#include "catena/array/kernels/reduction_args.h"

namespace catena::cuda {

// The kernels of a reduction, all taking ReductionParams: from the input to the
// output, or to the states of splits, and from those to the output.
struct ReductionKernels {
  ReductionTypes types;
  const void* elements = nullptr;      // for any layout
  const void* row_packs = nullptr;     // if types.row_pack > 1
  const void* column_packs = nullptr;  // if types.column_pack > 1
  const void* combine_splits = nullptr;
  int64_t state_size = 0;
};

// Runs them on the current stream of args.device. Throws CudaError,
// OutOfMemoryError.
void launch_reduction(const array::ReduceArgs& args,
                      const ReductionKernels& kernels);

}  // namespace catena::cuda
