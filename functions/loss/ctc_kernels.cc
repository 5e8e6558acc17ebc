// The kernels of connectionist_temporal_classification.

#include "catena/functions/blocks/block_kernel.h"
#include "catena/functions/loss/ctc_ops.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kCtcTables =
    functor_tables<functions::BlockFamily>(functions::CtcOps());

}  // namespace catena::array::CATENA_BACKEND
