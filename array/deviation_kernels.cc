// The kernels of variances, which take as long to compile as three others.

#include "catena/array/reduction_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kDeviationTables =
    reduction_tables(DeviationReductions());

}  // namespace catena::array::CATENA_BACKEND
