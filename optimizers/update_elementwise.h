#pragma once

#include <initializer_list>

#include "catena/array/array.h"
#include "catena/array/kernel_tables.h"

namespace catena::optimizers {

namespace internal {
void run_update(const KernelSlot<array::ElementwiseTable>& slot,
                std::initializer_list<Array> in,
                std::initializer_list<Array> inout, const void* op);
}  // namespace internal

// Runs an update functor op(in..., inout&...) over arrays of one shape, dtype
// and device, changing the latter, in one pass over memory. The functor's
// kernels must be linked (kernel_library, see sgd_kernels.cc). ShapeError,
// DtypeError, DeviceError naming the functor when the arrays are not alike.
template <class Op>
void update_elementwise(const Op& op, std::initializer_list<Array> in,
                        std::initializer_list<Array> inout) {
  internal::run_update(array::elementwise_slot<Op>, in, inout, &op);
}

}  // namespace catena::optimizers
