// The kernels of functions that normalize rows.

#include "catena/functions/normalization/row_normalization_ops.h"
#include "catena/functions/rows/row_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const auto kRowNormalizationTables =
    functor_tables<functions::RowFamily>(functions::RowNormalizationOps());

}  // namespace catena::array::CATENA_BACKEND
