#include "catena/functions/array/internal/image_sampling_ops.h"
#include "catena/functions/engines/spans/span_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kImageSamplingKernels =
    register_kernels<functions::SpanFamily>(functions::ImageSamplingOps());

}  // namespace catena::kernels::CATENA_BACKEND
