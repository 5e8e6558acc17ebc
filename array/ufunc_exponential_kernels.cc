// The kernels of ufuncs: exponentials and logarithms.

#include "catena/array/ufunc_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kExponentialUfuncTables =
    ufunc_tables(ExponentialUfuncs());

}  // namespace catena::array::CATENA_BACKEND
