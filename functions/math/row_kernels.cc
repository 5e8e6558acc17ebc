// The kernels of logsumexp and batch_l2_norm_squared.

#include "catena/functions/math/row_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kMathRowKernels =
    register_kernels<functions::RowFamily>(functions::MathRowOps());

}  // namespace catena::kernels::CATENA_BACKEND
