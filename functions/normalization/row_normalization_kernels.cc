// The kernels of functions that normalize rows.

#include "catena/functions/normalization/row_normalization_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kRowNormalizationKernels =
    register_kernels<functions::RowFamily>(functions::RowNormalizationOps());

}  // namespace catena::kernels::CATENA_BACKEND
