#include "catena/functions/engines/blocks/block_kernel.h"
#include "catena/functions/loss/internal/ctc_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kCtcKernels =
    register_kernels<functions::BlockFamily>(functions::CtcOps());

}  // namespace catena::kernels::CATENA_BACKEND
