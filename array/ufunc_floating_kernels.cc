// The kernels of ufuncs: rounding and the parts of floats.

#include "catena/array/ufunc_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kFloatingUfuncTables = ufunc_tables(FloatingUfuncs());

}  // namespace catena::array::CATENA_BACKEND
