// The kernels of losses that see a row of scores at once.

#include "catena/functions/loss/row_loss_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kRowLossTables =
    functor_tables<functions::RowFamily>(functions::RowLossOps());

}  // namespace catena::array::CATENA_BACKEND
