// The kernels of indexed_dot.

#include "catena/functions/blocks/block_kernel.h"
#include "catena/functions/loss/indexed_dot_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kIndexedDotTables =
    functor_tables<functions::BlockFamily>(functions::IndexedDotOps());

}  // namespace catena::array::CATENA_BACKEND
