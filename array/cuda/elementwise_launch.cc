#include "catena/array/cuda/elementwise_launch.h"

#include "catena/array/work_record.h"
#include "catena/cuda/device.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::cuda {

void launch_elementwise(const ElementwiseArgs& args,
                        const ElementwiseKernels& kernels) {
  const int device = args.device.index();
  const int multiprocessors = properties(device).multiprocessors;
  void* const op = const_cast<void*>(args.op);
  if (WorkRecord* record = current_work_record()) {
    for (int k = 0; k < args.noperands; ++k) {
      const ElementwiseArgs::Pointer& operand = args.operands[k];
      if (!operand.is_immediate) continue;
      record->add_bytes(operand.immediate,
                        static_cast<size_t>(kernels.types.item_sizes[k]));
    }
  }
  if (is_flat(args, kernels.types)) {
    FlatParams flat = make_flat_params(args, kernels.types, multiprocessors);
    void* params[] = {op, &flat};
    launch(kernels.flat, flat_blocks(flat, kernels.types), kBlockThreads,
           params, device);
    return;
  }
  visit_32_bit_parts(args, [&](const ElementwiseArgs& part) {
    StridedParams strided = make_strided_params(part);
    void* params[] = {op, &strided};
    const int64_t resident =
        resident_blocks(kernels.strided, kBlockThreads, device);
    launch(kernels.strided, loop_blocks(part.size, kStridedItems, resident),
           kBlockThreads, params, device);
  });
}

}  // namespace catena::cuda
