#include "catena/functions/engines/spans/span_kernel.h"
#include "catena/functions/pooling/internal/window_ops.h"
#ifdef __CUDACC__
#include "catena/functions/pooling/internal/window_launcher.cuh"
#endif

namespace catena::kernels::CATENA_BACKEND {

#ifdef __CUDACC__
template <OfImageWindows Op, class T>
struct Loop<functions::SpanFamily, Op, T> : WindowLoop<Op, T> {};
#endif

extern const auto kWindowKernels =
    register_kernels<functions::SpanFamily>(functions::WindowOps());

}  // namespace catena::kernels::CATENA_BACKEND
