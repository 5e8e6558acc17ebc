#include "catena/functions/engines/rows/row_kernel.h"
#include "catena/functions/math/internal/row_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kMathRowKernels =
    register_kernels<functions::RowFamily>(functions::MathRowOps());

}  // namespace catena::kernels::CATENA_BACKEND
