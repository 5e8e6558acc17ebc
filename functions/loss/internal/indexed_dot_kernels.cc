#include "catena/functions/engines/blocks/block_kernel.h"
#include "catena/functions/loss/internal/indexed_dot_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kIndexedDotKernels =
    register_kernels<functions::BlockFamily>(functions::IndexedDotOps());

}  // namespace catena::kernels::CATENA_BACKEND
