// The variance kernels, in a file of their own because they compile slowly.

#include "catena/array/reduction/reduction_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kDeviationKernels =
    register_kernels<ReductionFamily>(functors_of(DeviationReductions()));

}  // namespace catena::kernels::CATENA_BACKEND
