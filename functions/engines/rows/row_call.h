#pragma once

#include <initializer_list>

#include "catena/array/array.h"
#include "catena/functions/engines/rows/row_args.h"

namespace catena::functions {

// The dtype in which elements of a floating `dtype` are computed.
inline Dtype computed_dtype(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
}

// Runs a row functor along `axis` (normalized) over inputs of one shape, dtype
// and device; those that are shared have the axis' extent alone.
void run_rows(const KernelSlot<RowFamily::Table>& slot, const void* op,
              int axis, std::initializer_list<const Array*> inputs,
              const Array* output);

// The same; the result has the inputs' shape and dtype.
template <class Op>
Array map_rows(const Op& op, int axis,
               std::initializer_list<const Array*> inputs) {
  static_assert(Op::kOutput);
  Array output = array::empty_like(**inputs.begin());
  run_rows(kernel_slot<RowFamily, Op>, &op, axis, inputs, &output);
  return output;
}

// The same for a functor that writes only what it holds pointers to.
template <class Op>
void visit_rows(const Op& op, int axis,
                std::initializer_list<const Array*> inputs) {
  static_assert(!Op::kOutput);
  run_rows(kernel_slot<RowFamily, Op>, &op, axis, inputs, nullptr);
}

}  // namespace catena::functions
