#pragma once

// CPU span kernels: plain loops, vectorized by the compiler, once per
// instruction set.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/core/parallel.h"
#include "catena/functions/engines/spans/span_args.h"

namespace catena::kernels::CATENA_BACKEND {

// Elements [begin, end) of a row of results. Stored is the type of array
// elements and Element the type computed in.
template <class S>
class Span {
 public:
  using Stored = S;
  using Element = std::conditional_t<std::is_same_v<S, double>, double, float>;
  // Whether spans are whole rows; else they are single elements.
  static constexpr bool kWhole = true;

  CATENA_HOST_DEVICE Span(int64_t row, int64_t width)
      : row_(row), width_(width) {}

  CATENA_HOST_DEVICE int64_t row() const { return row_; }
  CATENA_HOST_DEVICE int64_t begin() const { return 0; }
  CATENA_HOST_DEVICE int64_t end() const { return width_; }

  // Element i of an array.
  static CATENA_HOST_DEVICE Element load(const void* data, int64_t i) {
    return static_cast<Element>(static_cast<const S*>(data)[i]);
  }
  static CATENA_HOST_DEVICE void store(void* data, int64_t i, Element x) {
    static_cast<S*>(data)[i] = static_cast<S>(x);
  }
  // Adds to element i of Op::added, an array of Element. On CUDA several spans
  // may add to the same element: the sum does not depend on their order.
  static CATENA_HOST_DEVICE void add(void* data, int64_t i, Element x) {
    static_cast<Element*>(data)[i] += x;
  }

 private:
  int64_t row_;
  int64_t width_;
};

template <class Op, class S>
class SpanLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::SpanArgs& args) {
    constexpr int64_t kGrain = 16384;
    const int64_t grain =
        std::max<int64_t>(1, kGrain / std::max<int64_t>(args.work, 1));
    catena::cpu::parallel_for(args.rows, grain,
                              [&](int64_t begin, int64_t end) {
                                const Op op = *static_cast<const Op*>(args.op);
                                for (int64_t row = begin; row < end; ++row) {
                                  op(Span<S>(row, args.width));
                                }
                              });
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
