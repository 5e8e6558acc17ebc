// The kernels of variances, which take as long to compile as three others.

#include "catena/array/reduction_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kDeviationKernels =
    register_kernels<ReductionFamily>(functors_of(DeviationReductions()));

}  // namespace catena::kernels::CATENA_BACKEND
