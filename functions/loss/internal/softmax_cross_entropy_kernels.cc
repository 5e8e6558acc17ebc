#include "catena/functions/engines/rows/row_kernel.h"
#include "catena/functions/loss/internal/softmax_cross_entropy_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kCrossEntropyKernels =
    register_kernels<functions::RowFamily>(functions::CrossEntropyOps());

}  // namespace catena::kernels::CATENA_BACKEND
