#include "catena/array/ufunc/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kBitUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(BitUfuncs()));

extern const auto kLogicUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(LogicUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
