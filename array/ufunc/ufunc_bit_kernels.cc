#include "catena/array/ufunc/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kBitUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(BitUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
