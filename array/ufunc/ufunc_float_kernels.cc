#include "catena/array/ufunc/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kExponentialUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(ExponentialUfuncs()));

extern const auto kFloatingUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(FloatingUfuncs()));

extern const auto kTrigonometricUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(TrigonometricUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
