// The kernels of pooling and its gradients.

#include "catena/functions/engines/spans/span_kernel.h"
#include "catena/functions/pooling/internal/window_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kWindowKernels =
    register_kernels<functions::SpanFamily>(functions::WindowOps());

}  // namespace catena::kernels::CATENA_BACKEND
