#pragma once

#include <span>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/kernels/reduction_ops.h"
#include "catena/optimizers/update_slot.h"

namespace catena::optimizers {

// The sum of all elements of arrays on GPUs, or of their squares: a float64
// array for each device, in the order in which devices first occur. The same
// arrays on the same GPU have the same sum to the bit. Nothing waits; one
// launch handles dozens of arrays. `Op` is array::SumOp or
// array::SumOfSquaresOp.
std::vector<Array> sum_many(const KernelSlot<SumManyTable>& slot,
                            std::span<const Array> arrays);
template <class Op>
std::vector<Array> sum_many(std::span<const Array> arrays) {
  return sum_many(sum_many_slot<Op>, arrays);
}

}  // namespace catena::optimizers
