// The kernels of pooling over regions of interest.

#include "catena/functions/pooling/roi_ops.h"
#include "catena/functions/spans/span_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kRoiKernels =
    register_kernels<functions::SpanFamily>(functions::RoiOps());

}  // namespace catena::kernels::CATENA_BACKEND
