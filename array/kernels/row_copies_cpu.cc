#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/row_copies.h"

namespace catena::kernels::CATENA_BACKEND {

template <>
constinit const RowCopies Kernels<RowCopies>::table = {};

}  // namespace catena::kernels::CATENA_BACKEND
