#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/functions/pooling/internal/window_args.h"

// How window functors iterate over spans (span_args.h) of rows.
namespace catena::functions {

CATENA_HOST_DEVICE int64_t min_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}
CATENA_HOST_DEVICE int64_t greatest_of(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// Calls take(i, i step + start) for i in [begin, end); loops with common steps
// are vectorized.
template <class Take>
CATENA_HOST_DEVICE void each_step(int64_t begin, int64_t end, int64_t start,
                                  int64_t step, const Take& take) {
  if (step == 1) {
    for (int64_t i = begin; i < end; ++i) take(i, i + start);
  } else if (step == 2) {
    for (int64_t i = begin; i < end; ++i) take(i, 2 * i + start);
  } else {
    for (int64_t i = begin; i < end; ++i) take(i, i * step + start);
  }
}

// Calls visit(integral_constant) with the number of adjacent results, out of n,
// to compute together: a compile-time constant from kMin to 16.
template <int64_t kMin, class Visit>
CATENA_HOST_DEVICE void with_block_for(int64_t n, const Visit& visit) {
  if constexpr (kMin < 16) {
    if (n > kMin) return with_block_for<2 * kMin>(n, visit);
  }
  visit(std::integral_constant<int64_t, kMin>());
}

// The number of adjacent results of a row that are computed together.
template <class Span>
inline constexpr int64_t kWindowBlock = Span::kWhole ? 128 : 1;

// For a span of a row of outputs, in blocks: start(n), then take(j, element,
// tap) for result j of the block and each of its taps outside padding, in
// ascending order, then finish(first, n) with the index of the block's first
// output.
template <class Span, class Start, class Take, class Finish>
CATENA_HOST_DEVICE void visit_outputs(const Span& span, const WindowArgs& w,
                                      const Start& start, const Take& take,
                                      const Finish& finish) {
  // With fewer results, iterating along the window rather than the row is
  // faster.
  [[maybe_unused]] constexpr int64_t kNarrow = 4;
  const int last = w.last();
  const int64_t in = w.in[last];
  const int64_t size = w.size[last];
  const int64_t stride = w.stride[last];
  const int64_t pad = w.pad[last];
  const RowPlace<Span> place(span.row(), w.out, w.ndim);
  const int64_t taps = w.outer_taps();
  for (int64_t c = span.begin(); c < span.end(); c += kWindowBlock<Span>) {
    const int64_t n = min_of(kWindowBlock<Span>, span.end() - c);
    start(n);
    for (int64_t q = 0; q < taps; ++q) {
      const int64_t row = w.input_row(place, q);
      if (row < 0) continue;
      if constexpr (Span::kWhole) {
        if (n >= kNarrow) {
          for (int64_t k = 0; k < size; ++k) {
            const int64_t first = c * stride + k - pad;  // of result 0
            each_step(steps_to(-first, stride),
                      min_of(n, steps_to(in - first, stride)), row * in + first,
                      stride, [&](int64_t j, int64_t element) {
                        take(j, element, q * size + k);
                      });
          }
          continue;
        }
      }
      for (int64_t j = 0; j < n; ++j) {
        const int64_t first = (c + j) * stride - pad;
        const int64_t begin = greatest_of(0, -first);
        const int64_t end = min_of(size, in - first);
        for (int64_t k = begin; k < end; ++k) {
          take(j, row * in + first + k, q * size + k);
        }
      }
    }
    finish(span.row() * w.out[last] + c, n);
  }
}

// The reverse of visit_outputs, for a span of a row of inputs: calls take(j,
// output, tap) for input j of the block and each window that has it as that
// tap.
template <class Span, class Start, class Take, class Finish>
CATENA_HOST_DEVICE void visit_inputs(const Span& span, const WindowArgs& w,
                                     const Start& start, const Take& take,
                                     const Finish& finish) {
  const int last = w.last();
  const int64_t out = w.out[last];
  const int64_t size = w.size[last];
  const int64_t stride = w.stride[last];
  const RowPlace<Span> place(span.row(), w.in, w.ndim);
  const int64_t taps = w.outer_taps();
  for (int64_t c = span.begin(); c < span.end(); c += kWindowBlock<Span>) {
    const int64_t n = min_of(kWindowBlock<Span>, span.end() - c);
    start(n);
    for (int64_t q = 0; q < taps; ++q) {
      const int64_t row = w.output_row(place, q);
      if (row < 0) continue;
      for (int64_t k = 0; k < size; ++k) {
        // Input j of the block is tap k of output i where
        // i stride = j + offset.
        const int64_t offset = c + w.pad[last] - k;
        if constexpr (Span::kWhole) {
          each_step(steps_to(offset, stride),
                    min_of(out, steps_to(n + offset, stride)), -offset, stride,
                    [&](int64_t i, int64_t j) {
                      take(j, row * out + i, q * size + k);
                    });
        } else {  // there is only j = 0
          const int64_t i = steps_to(offset, stride);
          if (i * stride == offset && i < out) {
            take(0, row * out + i, q * size + k);
          }
        }
      }
    }
    finish(span.row() * w.in[last] + c, n);
  }
}

}  // namespace catena::functions
