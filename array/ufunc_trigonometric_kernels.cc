// The kernels of ufuncs: trigonometry.

#include "catena/array/ufunc_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kTrigonometricUfuncTables =
    ufunc_tables(TrigonometricUfuncs());

}  // namespace catena::array::CATENA_BACKEND
