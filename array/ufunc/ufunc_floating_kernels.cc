#include "catena/array/ufunc/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kFloatingUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(FloatingUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
