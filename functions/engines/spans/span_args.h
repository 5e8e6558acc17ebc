#pragma once

#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"

// The engine for functions whose results depend on neighbours, samples or
// positions, such as pooling; it connects functions with their kernels.
//
// Results form rows. A functor computes a span of one row: the whole row on the
// CPU, a single result per thread on CUDA. It is written once for both, as
// loops over the span:
//
//   struct ReverseOp {
//     static constexpr std::string_view kName = "reverse";
//     const void* x;  // of the stored type
//     void* y;
//     int64_t width;
//     template <class Span>
//     CATENA_HOST_DEVICE void operator()(const Span& span) const {
//       const int64_t start = span.row() * width;
//       for (int64_t i = span.begin(); i < span.end(); ++i) {
//         span.store(y, start + i, span.load(x, start + width - 1 - i));
//       }
//     }
//   };
//
// span_loop.h documents the members of Span. A functor that calls span.add()
// has the members `void* added`, the array of zeros to which it adds, and
// `int64_t added_size`, its number of elements.
namespace catena::functions {

// One call. `work` is the approximate number of elements that a row touches.
struct SpanArgs {
  Device device;
  int64_t rows;
  int64_t width;
  int64_t work;
  const void* op;
};

struct SpanFamily {
  using Kernel = void(const SpanArgs& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

}  // namespace catena::functions
