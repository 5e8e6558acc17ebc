#pragma once

#include <cstdint>
#include <span>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_slot.h"

// Kernels of the update functors, op(in..., inout&...).
namespace catena::optimizers {

struct UpdateFamily : array::ElementwiseFamily {
  template <class Op>
  using Dtypes = FloatTypes;
};

// The maximum number of arrays that a functor takes.
inline constexpr int kMaxUpdateOperands = 5;

// Runs a functor over many arrays at once, which must be contiguous and 16-byte
// aligned; `data` has all operands of the first update, then those of the next.
// `captured`, if not null, is memory of the device with a functor for each
// update, which take the place of `op` when the kernel runs.
using UpdateManyFn = void(Device device, std::span<const int64_t> sizes,
                          std::span<char* const> data, const void* op,
                          const void* captured);
using UpdateManyTable = DtypeTable<UpdateManyFn>;

// The CUDA kernels for many arrays; null unless the CUDA library is linked.
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
