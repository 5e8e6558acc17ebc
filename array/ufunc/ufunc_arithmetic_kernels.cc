#include "catena/array/ufunc/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kArithmeticUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(ArithmeticUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
