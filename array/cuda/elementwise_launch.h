#pragma once

#include "catena/array/cuda/elementwise_params.h"

namespace catena::cuda {

// The two kernels of a functor: over packs of contiguous elements, taking the
// functor and FlatParams, and over any layout, taking the functor and
// StridedParams.
struct ElementwiseKernels {
  const void* flat;
  const void* strided;
  ElementwiseTypes types;
};

// The number of elements that a thread of the strided kernel has in flight.
inline constexpr int kStridedItems = 2;

// Runs the kernel for the layout on the current stream of args.device. Throws
// CudaError.
void launch_elementwise(const ElementwiseArgs& args,
                        const ElementwiseKernels& kernels);

}  // namespace catena::cuda
