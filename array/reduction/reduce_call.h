#pragma once

#include <array>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/kernels/reduction_table.h"
#include "catena/array/output.h"
#include "catena/array/reduction/reduce.h"

// From the call of a reduction to its kernel, for all reductions: axes, shapes,
// the result's memory.
namespace catena::array {

// What the routines need to know about a functor.
struct ReduceTraits {
  const KernelSlot<ReduceTable>* slot;
  std::array<Dtype, kDtypeCount> results;  // by the input's dtype
  bool indexed;
  bool has_identity;
};

template <class Op, class... Ts>
constexpr std::array<Dtype, kDtypeCount> result_dtypes(TypeList<Ts...>) {
  return {dtype_of<typename Op::template Result<Ts>>...};
}

template <class Op>
inline constexpr ReduceTraits kReduceTraits = {
    &kernel_slot<ReductionFamily, Op>, result_dtypes<Op>(AllTypes()),
    Op::kIndexed, Op::kHasIdentity};

// The shape without `axes` (normalized), or with extent 1 along them.
Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims);

// Reduces over axes that are normalized and sorted; the result has the dtype of
// the traits, unless `output`, whose shape is reduced_shape(), casts it. Throws
// DtypeError, ValueError naming `name`.
Array call_reduction(const ReduceTraits& traits, std::string_view name,
                     const Array& a, const Axes& axes, const Output& output);

// The reduction of a routine that has all of ReduceOptions. Throws what the
// routines do, naming `name`.
Array call_reduction(const ReduceTraits& traits, std::string_view name,
                     const Array& a, const ReduceOptions& options);

}  // namespace catena::array
