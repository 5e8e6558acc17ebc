#include "catena/functions/engines/rows/row_kernel.h"
#include "catena/functions/loss/internal/row_loss_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kRowLossKernels =
    register_kernels<functions::RowFamily>(functions::RowLossOps());

}  // namespace catena::kernels::CATENA_BACKEND
