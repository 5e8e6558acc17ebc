#include "catena/functions/engines/spans/span_kernel.h"
#include "catena/functions/pooling/internal/roi_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kRoiKernels =
    register_kernels<functions::SpanFamily>(functions::RoiOps());

}  // namespace catena::kernels::CATENA_BACKEND
