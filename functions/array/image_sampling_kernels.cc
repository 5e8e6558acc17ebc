// The kernels of resize_images and spatial_transformer_sampler.

#include "catena/functions/array/image_sampling_ops.h"
#include "catena/functions/spans/span_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kImageSamplingTables =
    functor_tables<functions::SpanFamily>(functions::ImageSamplingOps());

}  // namespace catena::array::CATENA_BACKEND
