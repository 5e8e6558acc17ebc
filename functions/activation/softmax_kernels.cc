// The kernels of softmax and log_softmax.

#include "catena/functions/activation/softmax_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kSoftmaxTables =
    functor_tables<functions::RowFamily>(functions::SoftmaxOps());

}  // namespace catena::array::CATENA_BACKEND
