#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernel_tables.h"
#include "catena/array/ufunc_table.h"

// From a call of a ufunc to its kernel: dtypes, shapes, devices, the result's
// memory. Done here once for all of them.
namespace catena::array {

struct UfuncTraits {
  const KernelSlot<ElementwiseTable>* slot;
  DtypeRule rule;
  bool bool_result;
  // The first operand is a bool condition, outside the dtype rule.
  bool has_condition;
};

// The dtype a ufunc with this rule computes in.
Dtype ufunc_dtype(DtypeRule rule, std::span<const Operand* const> operands);

// The ufunc of the operands; `op` is its functor. With `out` the result is
// written there, cast to its dtype. DtypeError, ShapeError, DeviceError.
Array call_ufunc(const UfuncTraits& ufunc,
                 std::span<const Operand* const> operands, const void* op,
                 const Array* out = nullptr);

// The ufunc of a functor in the table.
template <class Op>
Array apply_ufunc(std::span<const Operand* const> operands,
                  const Array* out = nullptr) {
  using Row = RowOf<Op>;
  static constexpr UfuncTraits kTraits = {
      &elementwise_slot<Op>, Row::kRule, Row::kBoolResult,
      std::is_same_v<typename Row::template In<float>, WhereIn<float>>};
  const Op op;
  return call_ufunc(kTraits, operands, &op, out);
}

template <class Op, std::same_as<Operand>... Operands>
Array apply_ufunc(const Operands&... operands) {
  const Operand* const list[] = {&operands...};
  return apply_ufunc<Op>(list);
}

}  // namespace catena::array
