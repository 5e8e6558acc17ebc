#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/float16.h"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/kernels/kernel_slot.h"

// Kernels of the update functors, op(in..., inout&...).
namespace catena::optimizers {

// A functor whose operands differ in dtype says which ones are float32, by bits
// of kFloat32Operands; the others are float16 or bfloat16.
template <class Op>
inline constexpr unsigned kFloat32Operands = 0;
template <class Op>
requires requires { Op::kFloat32Operands; }
inline constexpr unsigned kFloat32Operands<Op> = Op::kFloat32Operands;

struct UpdateFamily : array::ElementwiseFamily {
  template <class Op>
  using Dtypes = std::conditional_t<kFloat32Operands<Op> == 0, FloatTypes,
                                    TypeList<float16, bfloat16>>;
};

// The maximum number of arrays that a functor takes.
inline constexpr int kMaxUpdateOperands = 5;

// Runs a functor over many arrays at once, which must be contiguous and 16-byte
// aligned; `data` has all operands of the first update, then those of the next.
// `written`, if not null, is memory of the device with a functor for each
// update, which take the place of `op` when the kernel runs. `gate`, if not
// null, is memory of the device: nothing changes if it holds 0.
using UpdateManyFn = void(Device device, std::span<const int64_t> sizes,
                          std::span<char* const> data, const void* op,
                          const void* written, const double* gate);
using UpdateManyTable = DtypeTable<UpdateManyFn>;

// What a functor is made from if its numbers depend on that of the step, t:
//
//   struct AdamStep {
//     using Functor = AdamOp;
//     AdamOp functor(double t) const;
//     ...
//     double t;
//   };
template <class T>
concept StepRecipe = requires(const T& recipe) {
  typename T::Functor;
  { recipe.functor(recipe.t) } -> std::same_as<typename T::Functor>;
};

// Makes functors from recipes, both in memory of the device, where *skipped
// says by how much each t is too large.
using MakeFunctorsFn = void(Device device, int64_t count, const void* recipes,
                            const double* skipped, void* functors);
// Only on devices.
template <StepRecipe Recipe>
inline constinit KernelSlot<MakeFunctorsFn> make_functors_slot = {
    Recipe::Functor::kName, {}};

// The kernels for many arrays, only on devices: the CPU runs one after another.
template <class Op>
inline constinit KernelSlot<UpdateManyTable> update_many_slot = {Op::kName, {}};

struct UpdateKernels {
  const KernelSlot<array::ElementwiseTable>* one;
  const KernelSlot<UpdateManyTable>* many;
  unsigned float32_operands;
};
template <class Op>
inline constexpr UpdateKernels update_kernels = {&kernel_slot<UpdateFamily, Op>,
                                                 &update_many_slot<Op>,
                                                 kFloat32Operands<Op>};

// Writes the sum over all elements of many arrays, which must be contiguous and
// 16-byte aligned, to memory of the device.
using SumManyFn = void(Device device, std::span<const int64_t> sizes,
                       std::span<char* const> data, double* result);
using SumManyTable = DtypeTable<SumManyFn>;

// Filled for the sums of array/kernels/reduction_ops.h, SumOp and
// SumOfSquaresOp, only on devices.
template <class Op>
inline constinit KernelSlot<SumManyTable> sum_many_slot = {Op::kName, {}};

}  // namespace catena::optimizers
