// The kernels of pooling and its gradients.

#include "catena/functions/pooling/window_ops.h"
#include "catena/functions/spans/span_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kWindowTables =
    functor_tables<functions::SpanFamily>(functions::WindowOps());

}  // namespace catena::array::CATENA_BACKEND
