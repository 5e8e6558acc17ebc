#include "catena/array/ufunc/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kExponentialUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(ExponentialUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
