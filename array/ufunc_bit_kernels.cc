// The kernels of ufuncs: bit operations.

#include "catena/array/ufunc_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kBitUfuncTables = ufunc_tables(BitUfuncs());

}  // namespace catena::array::CATENA_BACKEND
