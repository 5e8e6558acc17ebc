#include "catena/array/cuda/elementwise_launch.h"

#include <algorithm>
#include <iterator>

#include "catena/array/core/work_record.h"
#include "catena/cuda/device.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/record_params.h"

namespace catena::cuda {
namespace {

// An immediate is initialized as far as the bytes of its type go.
template <class Params>
void record_with_immediates(Params params, const ElementwiseTypes& types) {
  for (int k = 0; k < types.noperands; ++k) {
    auto& immediate = params.operands[k].immediate;
    std::fill(immediate + types.item_sizes[k], std::end(immediate), '\0');
  }
  record_params(params);
}

}  // namespace

void launch_elementwise(const ElementwiseArgs& args,
                        const ElementwiseKernels& kernels) {
  const int device = args.device.index();
  const int multiprocessors = properties(device).multiprocessors;
  void* const op = const_cast<void*>(args.op);
  if (is_flat(args, kernels.types)) {
    FlatParams flat = make_flat_params(args, kernels.types, multiprocessors);
    if (current_work_record()) record_with_immediates(flat, kernels.types);
    void* params[] = {op, &flat};
    launch(kernels.flat, flat_blocks(flat, kernels.types), kBlockThreads,
           params, device);
    return;
  }
  visit_32_bit_parts(args, [&](const ElementwiseArgs& part) {
    StridedParams strided = make_strided_params(part);
    if (current_work_record()) record_with_immediates(strided, kernels.types);
    void* params[] = {op, &strided};
    const int64_t resident =
        resident_blocks(kernels.strided, kBlockThreads, device);
    launch(kernels.strided, loop_blocks(part.size, kStridedItems, resident),
           kBlockThreads, params, device);
  });
}

}  // namespace catena::cuda
