#include "catena/functions/engines/rows/row_kernel.h"
#include "catena/functions/normalization/internal/row_normalization_ops.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kRowNormalizationKernels =
    register_kernels<functions::RowFamily>(functions::RowNormalizationOps());

}  // namespace catena::kernels::CATENA_BACKEND
