#include "catena/functions/activation/internal/softmax_ops.h"
#include "catena/functions/engines/rows/row_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kSoftmaxKernels =
    register_kernels<functions::RowFamily>(functions::SoftmaxOps());

}  // namespace catena::kernels::CATENA_BACKEND
