#pragma once

#include <cstdint>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

// The machinery of functions whose results depend on neighbours, samples or
// positions, such as pooling: between their routines and their kernels.
//
// The results lie in rows. A functor computes a span of one row: on the CPU all
// of it, on CUDA a single result, for which each thread is responsible. It is
// written once for both, as loops over the span:
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
// What the members of Span do is told in span_loop.h.
namespace catena::functions {

// One call. `work` is about how many elements a row touches.
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
