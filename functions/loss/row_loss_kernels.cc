// The kernels of losses that see a row of scores at once.

#include "catena/functions/loss/row_loss_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kRowLossKernels =
    register_kernels<functions::RowFamily>(functions::RowLossOps());

}  // namespace catena::kernels::CATENA_BACKEND
