// Indices along axes to offsets, and back.

#include <array>

#include "catena/array/elementwise_kernel.h"
#include "catena/array/indexing/offset_ops.h"
#include "catena/array/kernel_tables.h"

namespace catena::array::CATENA_BACKEND {

template <>
const ElementwiseTable Kernels<AddOffsetOp>::table =
    elementwise_table<AddOffsetOp, Unary, Same>(TypeList<int64_t>());
template <>
const ElementwiseTable Kernels<UnravelOp>::table =
    elementwise_table<UnravelOp, Unary, Same>(TypeList<int64_t>());

extern const std::array kOffsetTables =
    instantiate_kernels<AddOffsetOp, UnravelOp>();

}  // namespace catena::array::CATENA_BACKEND
