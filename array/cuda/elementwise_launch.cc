#include "catena/array/cuda/elementwise_launch.h"

#include "catena/cuda/device.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::cuda {

void launch_elementwise(const ElementwiseArgs& args,
                        const ElementwiseKernels& kernels) {
  const int device = args.device.index();
  const int multiprocessors = properties(device).multiprocessors;
  void* const op = const_cast<void*>(args.op);
  if (is_flat(args, kernels.types)) {
    FlatParams flat = make_flat_params(args, kernels.types);
    void* params[] = {op, &flat};
    const int pack = kernels.types.pack_size();
    launch(kernels.flat, grid_stride_blocks(args.size, pack, multiprocessors),
           kBlockThreads, params, device);
    return;
  }
  visit_32_bit_parts(args, [&](const ElementwiseArgs& part) {
    StridedParams strided = make_strided_params(part);
    void* params[] = {op, &strided};
    launch(kernels.strided,
           grid_stride_blocks(part.size, kStridedItems, multiprocessors),
           kBlockThreads, params, device);
  });
}

}  // namespace catena::cuda
