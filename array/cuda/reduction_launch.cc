#include "catena/array/cuda/reduction_launch.h"

#include "catena/array/cuda/reduction_params.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::cuda {

void launch_reduction(const array::ReduceArgs& args,
                      const ReductionKernels& kernels) {
  if (args.outputs == 0) return;
  const int device = args.device.index();
  const ReductionShape shape =
      choose_reduction_shape(args, properties(device).multiprocessors);
  // Freed before the kernels have run: only later work on the same stream can
  // reuse it.
  const bool is_split = shape.splits > 1;
  const Memory states(
      is_split ? args.outputs * shape.splits * kernels.state_size : 0, device);
  ReductionParams reduction =
      make_reduction_params(args, shape, static_cast<char*>(states.ptr()));
  void* params[] = {&reduction};
  launch(kernels.reduce, shape.blocks(), kBlockThreads, params, device);
  if (is_split) {
    launch(kernels.combine_splits, args.outputs, kBlockThreads, params, device);
  }
}

}  // namespace catena::cuda
