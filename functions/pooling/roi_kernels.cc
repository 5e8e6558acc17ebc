// The kernels of pooling over regions of interest.

#include "catena/functions/pooling/roi_ops.h"
#include "catena/functions/spans/span_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kRoiTables =
    functor_tables<functions::SpanFamily>(functions::RoiOps());

}  // namespace catena::array::CATENA_BACKEND
