#include "catena/array/kernel_definition.h"
#include "catena/array/row_copies.h"

namespace catena::kernels::CATENA_BACKEND {

template <>
constinit const RowCopies Kernels<RowCopies>::table = {};

}  // namespace catena::kernels::CATENA_BACKEND
