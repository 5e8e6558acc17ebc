#include "catena/array/cuda/reduction_launch.h"

#include "catena/array/cuda/reduction_params.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/record_params.h"

namespace catena::cuda {

namespace {

const void* kernel_for(const ReductionKernels& kernels,
                       const ReductionAccess& access) {
  if (access.pack == 1) return kernels.elements;
  return access.rows ? kernels.row_packs : kernels.column_packs;
}

}  // namespace

void launch_reduction(const array::ReduceArgs& args,
                      const ReductionKernels& kernels) {
  if (args.outputs == 0) return;
  const int device = args.device.index();
  const ReductionAccess access = choose_reduction_access(args, kernels.types);
  const void* const kernel = kernel_for(kernels, access);
  const ReductionShape shape = choose_reduction_shape(
      args, access, resident_blocks(kernel, kBlockThreads, device));
  // Freed before the kernels have run: only later work on the same stream can
  // reuse it.
  const bool is_split = shape.splits > 1;
  const Memory states(
      is_split ? args.outputs * shape.splits * kernels.state_size : 0, device);
  ReductionParams reduction =
      make_reduction_params(args, shape, static_cast<char*>(states.ptr()));
  record_params(reduction);
  void* params[] = {&reduction};
  launch(kernel, shape.blocks(), kBlockThreads, params, device);
  if (is_split) {
    launch(kernels.combine_splits, combining_blocks(args, shape), kBlockThreads,
           params, device);
  }
}

}  // namespace catena::cuda
