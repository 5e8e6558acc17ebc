#pragma once

#include <cstdint>

#include "catena/array/reduction.h"

namespace catena::cuda {

// The two kernels of a reduction, both taking ReductionParams: from the input
// to the output, or to the states of splits, and from those to the output.
struct ReductionKernels {
  const void* reduce;
  const void* combine_splits;
  int64_t state_size;
};

// Runs them on the current stream of args.device. Throws CudaError,
// OutOfMemoryError.
void launch_reduction(const array::ReduceArgs& args,
                      const ReductionKernels& kernels);

}  // namespace catena::cuda
