#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/functions/engines/spans/span_args.h"

namespace catena::functions {

// Runs a span functor over (rows, width) results, compiled for the dtype and
// device of `like`. The arrays that it points to must be contiguous.
void run_spans(const KernelSlot<SpanFamily::Table>& slot, const void* op,
               const Array& like, int64_t rows, int64_t width, int64_t work);

template <class Op>
void run_spans(const Op& op, const Array& like, int64_t rows, int64_t width,
               int64_t work) {
  run_spans(kernel_slot<SpanFamily, Op>, &op, like, rows, width, work);
}

}  // namespace catena::functions
