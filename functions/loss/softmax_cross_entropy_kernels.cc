// The kernels of softmax_cross_entropy.

#include "catena/functions/loss/softmax_cross_entropy_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kCrossEntropyTables =
    functor_tables<functions::RowFamily>(functions::CrossEntropyOps());

}  // namespace catena::array::CATENA_BACKEND
