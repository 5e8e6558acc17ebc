#pragma once

#include <initializer_list>

#include "catena/array/array.h"
#include "catena/functions/engines/rows/row_args.h"

namespace catena::functions {

// The dtype that elements of a floating `dtype` are computed in.
inline Dtype computed_dtype(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
}

// Runs a row functor along `axis` (normalized) over inputs of one shape, dtype
// and device; shared inputs have just the axis' extent.
void run_rows(const KernelSlot<RowFamily::Table>& slot, const void* op,
              int axis, std::initializer_list<const Array*> inputs,
              const Array* output, int64_t chunks = 0);

// Runs a row functor and returns its output, which has the inputs' shape and
// dtype.
template <class Op>
Array map_rows(const Op& op, int axis,
               std::initializer_list<const Array*> inputs) {
  static_assert(Op::kOutput);
  Array output = array::empty_like(**inputs.begin());
  run_rows(kernel_slot<RowFamily, Op>, &op, axis, inputs, &output,
           row_chunks(op));
  return output;
}

// Memory for a functor's ColumnSums, (chunks, 2, length), for the rows of a
// matrix x. The number of chunks does not depend on that of threads.
Array memory_for_column_sums(const Array& x);
inline ColumnSums column_sums_in(const Array& memory) {
  return {memory.raw_data(), memory.shape()[0]};
}

// Runs a row functor without an output, which writes only through its own
// pointers.
template <class Op>
void visit_rows(const Op& op, int axis,
                std::initializer_list<const Array*> inputs) {
  static_assert(!Op::kOutput);
  run_rows(kernel_slot<RowFamily, Op>, &op, axis, inputs, nullptr);
}

}  // namespace catena::functions
