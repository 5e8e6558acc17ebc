// The kernels of ufuncs: arithmetic.

#include "catena/array/ufunc_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kArithmeticUfuncTables =
    ufunc_tables(ArithmeticUfuncs());

}  // namespace catena::array::CATENA_BACKEND
