#pragma once

#include <cstdint>
#include <span>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_slot.h"

// The kernels of the update functors, op(in..., inout&...).
namespace catena::optimizers {

struct UpdateFamily : array::ElementwiseFamily {
  template <class Op>
  using Dtypes = FloatTypes;
};

// The most arrays that one functor takes.
inline constexpr int kMaxUpdateOperands = 5;

// Runs a functor over many arrays at once. They have no gaps and lie at
// multiples of 16 bytes; `data` has the operands of the first one, then those
// of the next.
using UpdateManyFn = void(Device device, std::span<const int64_t> sizes,
                          std::span<char* const> data, const void* op);
using UpdateManyTable = DtypeTable<UpdateManyFn>;

// CUDA's kernels for many arrays; null until its library is linked.
template <class Op>
inline constinit const UpdateManyTable* cuda_update_many = nullptr;

struct UpdateKernels {
  const KernelSlot<array::ElementwiseTable>* one;
  const UpdateManyTable* const* cuda_many;
};
template <class Op>
inline constexpr UpdateKernels update_kernels = {&kernel_slot<UpdateFamily, Op>,
                                                 &cuda_update_many<Op>};

}  // namespace catena::optimizers
