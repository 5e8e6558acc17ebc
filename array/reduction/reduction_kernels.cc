#include "catena/array/reduction/reduction_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kReductionKernels =
    register_kernels<ReductionFamily>(functors_of(PlainReductions()));

}  // namespace catena::kernels::CATENA_BACKEND
