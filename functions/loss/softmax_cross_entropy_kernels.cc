// The kernels of softmax_cross_entropy.

#include "catena/functions/loss/softmax_cross_entropy_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kCrossEntropyKernels =
    register_kernels<functions::RowFamily>(functions::CrossEntropyOps());

}  // namespace catena::kernels::CATENA_BACKEND
