// The kernels of reductions, but for variances.

#include "catena/array/reduction_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kReductionTables = reduction_tables(PlainReductions());

}  // namespace catena::array::CATENA_BACKEND
