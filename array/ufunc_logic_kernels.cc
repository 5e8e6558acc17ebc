// The kernels of ufuncs: comparison and logic.

#include "catena/array/ufunc_kernel.h"

namespace catena::array::CATENA_BACKEND {

extern const std::array kLogicUfuncTables = ufunc_tables(LogicUfuncs());

}  // namespace catena::array::CATENA_BACKEND
