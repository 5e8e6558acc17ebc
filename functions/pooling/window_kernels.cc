// The kernels of pooling and its gradients.

#include "catena/functions/pooling/window_ops.h"
#include "catena/functions/spans/span_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kWindowKernels =
    register_kernels<functions::SpanFamily>(functions::WindowOps());

}  // namespace catena::kernels::CATENA_BACKEND
