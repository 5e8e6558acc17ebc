// The kernels of ufuncs: exponentials and logarithms.

#include "catena/array/ufunc_kernel.h"

namespace catena::kernels::CATENA_BACKEND {

extern const auto kExponentialUfuncKernels =
    register_kernels<UfuncFamily>(functors_of(ExponentialUfuncs()));

}  // namespace catena::kernels::CATENA_BACKEND
