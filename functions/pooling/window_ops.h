#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "catena/array/dtype.h"
#include "catena/array/host_device.h"
#include "catena/array/shape.h"

// The span functors (spans/span_args.h) of windows that move over images of any
// number of spatial axes: pooling, its gradients and its inverses. An image is
// one channel of one sample; each has a row of its own last axis, or is one
// span as a whole.
namespace catena::functions {

inline constexpr int kMaxWindowAxes = kMaxDims - 2;

// The least n >= 0 with n step >= x. The usual steps need no division.
CATENA_HOST_DEVICE int64_t steps_to(int64_t x, int64_t step) {
  if (x <= 0) return 0;
  if (step == 1) return x;
  if (step == 2) return (x + 1) / 2;
  return (x + step - 1) / step;
}

// A window of size[d] elements that moves over in[d] elements, with pad[d] of
// padding at each end, in steps of stride[d] to out[d] places. Elements of a
// window are counted in C order; such a number is called a tap.
struct WindowGeometry {
  int ndim;
  int64_t in[kMaxWindowAxes];
  int64_t out[kMaxWindowAxes];
  int64_t size[kMaxWindowAxes];
  int64_t stride[kMaxWindowAxes];
  int64_t pad[kMaxWindowAxes];

  CATENA_HOST_DEVICE int last() const { return ndim - 1; }
  // Products of all extents but the last, of all.
  static CATENA_HOST_DEVICE int64_t product(const int64_t* extents, int count) {
    int64_t result = 1;
    for (int d = 0; d < count; ++d) result *= extents[d];
    return result;
  }
  CATENA_HOST_DEVICE int64_t outer_taps() const {
    return product(size, ndim - 1);
  }

  // The part of an outer tap that belongs to axis d; the rest stays in q. The
  // axes come last to first, and the first has all that is left. Divisions cost
  // more here than the elements do.
  CATENA_HOST_DEVICE int64_t take_tap(int64_t& q, int d) const {
    if (d == 0) return q;
    const int64_t tap = q % size[d];
    q /= size[d];
    return tap;
  }

  // Splits a row's number into positions[0 .. ndim - 2] and the image's.
  CATENA_HOST_DEVICE int64_t split_row(int64_t row, const int64_t* extents,
                                       int64_t* positions) const {
    for (int d = ndim - 2; d >= 0; --d) {
      positions[d] = row % extents[d];
      row /= extents[d];
    }
    return row;
  }

  // The row of the input that outer tap q of the window at `place` reads; -1
  // where that is padding.
  CATENA_HOST_DEVICE int64_t input_row(int64_t image, const int64_t* place,
                                       int64_t q) const {
    int64_t row = 0;
    int64_t rows = 1;
    for (int d = ndim - 2; d >= 0; --d) {
      const int64_t i = place[d] * stride[d] - pad[d] + take_tap(q, d);
      if (i < 0 || i >= in[d]) return -1;
      row += i * rows;
      rows *= in[d];
    }
    return image * rows + row;
  }
  // The row of the output whose windows have `position` as their outer tap q;
  // -1 where there is none.
  CATENA_HOST_DEVICE int64_t output_row(int64_t image, const int64_t* position,
                                        int64_t q) const {
    int64_t row = 0;
    int64_t rows = 1;
    for (int d = ndim - 2; d >= 0; --d) {
      const int64_t t = position[d] + pad[d] - take_tap(q, d);
      const int64_t i = t < 0 ? 0 : steps_to(t, stride[d]);
      if (t < 0 || i * stride[d] != t || i >= out[d]) return -1;
      row += i * rows;
      rows *= out[d];
    }
    return image * rows + row;
  }

  // The element of an image that a tap of the window at `place` reads; -1 where
  // that is padding or there is no such tap.
  CATENA_HOST_DEVICE int64_t element(const int64_t* place, int32_t tap) const {
    int64_t result = 0;
    int64_t elements = 1;
    for (int d = ndim - 1; d >= 0; --d) {
      const int32_t extent = static_cast<int32_t>(size[d]);
      const int64_t i = place[d] * stride[d] - pad[d] + tap % extent;
      tap /= extent;
      if (i < 0 || i >= in[d]) return -1;
      result += i * elements;
      elements *= in[d];
    }
    return tap == 0 ? result : -1;
  }
};

CATENA_HOST_DEVICE int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}
CATENA_HOST_DEVICE int64_t greatest_of(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// Calls take(i, i step + start) for i in [begin, end); loops of the usual steps
// become vector code.
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

// How many results of a row are computed side by side.
template <class Span>
inline constexpr int64_t kWindowBlock = Span::kWhole ? 128 : 1;

// For a span of a row of outputs, in blocks: start(n), then take(j, element,
// tap) for result j of the block and each tap of it that is no padding, taps
// rising, then finish(first, n) with the number of the block's first output.
template <class Span, class Start, class Take, class Finish>
CATENA_HOST_DEVICE void visit_outputs(const Span& span, const WindowGeometry& w,
                                      const Start& start, const Take& take,
                                      const Finish& finish) {
  // Of fewer results it pays to go along the window rather than the row.
  [[maybe_unused]] constexpr int64_t kNarrow = 4;
  const int last = w.last();
  const int64_t in = w.in[last];
  const int64_t size = w.size[last];
  const int64_t stride = w.stride[last];
  const int64_t pad = w.pad[last];
  int64_t place[kMaxWindowAxes];
  const int64_t image = w.split_row(span.row(), w.out, place);
  const int64_t taps = w.outer_taps();
  for (int64_t c = span.begin(); c < span.end(); c += kWindowBlock<Span>) {
    const int64_t n = least_of(kWindowBlock<Span>, span.end() - c);
    start(n);
    for (int64_t q = 0; q < taps; ++q) {
      const int64_t row = w.input_row(image, place, q);
      if (row < 0) continue;
      if constexpr (Span::kWhole) {
        if (n >= kNarrow) {
          for (int64_t k = 0; k < size; ++k) {
            const int64_t first = c * stride + k - pad;  // of result 0
            each_step(steps_to(-first, stride),
                      least_of(n, steps_to(in - first, stride)),
                      row * in + first, stride,
                      [&](int64_t j, int64_t element) {
                        take(j, element, q * size + k);
                      });
          }
          continue;
        }
      }
      for (int64_t j = 0; j < n; ++j) {
        const int64_t first = (c + j) * stride - pad;
        const int64_t begin = greatest_of(0, -first);
        const int64_t end = least_of(size, in - first);
        for (int64_t k = begin; k < end; ++k) {
          take(j, row * in + first + k, q * size + k);
        }
      }
    }
    finish(span.row() * w.out[last] + c, n);
  }
}

// The reverse: for a span of a row of inputs, start and finish as above and
// take(j, output, tap) for input j of the block and each window that it is that
// tap of.
template <class Span, class Start, class Take, class Finish>
CATENA_HOST_DEVICE void visit_inputs(const Span& span, const WindowGeometry& w,
                                     const Start& start, const Take& take,
                                     const Finish& finish) {
  const int last = w.last();
  const int64_t out = w.out[last];
  const int64_t size = w.size[last];
  const int64_t stride = w.stride[last];
  int64_t position[kMaxWindowAxes];
  const int64_t image = w.split_row(span.row(), w.in, position);
  const int64_t taps = w.outer_taps();
  for (int64_t c = span.begin(); c < span.end(); c += kWindowBlock<Span>) {
    const int64_t n = least_of(kWindowBlock<Span>, span.end() - c);
    start(n);
    for (int64_t q = 0; q < taps; ++q) {
      const int64_t row = w.output_row(image, position, q);
      if (row < 0) continue;
      for (int64_t k = 0; k < size; ++k) {
        // Input j of the block is tap k of output i where
        // i stride = j + offset.
        const int64_t offset = c + w.pad[last] - k;
        each_step(steps_to(offset, stride),
                  least_of(out, steps_to(n + offset, stride)), -offset, stride,
                  [&](int64_t i, int64_t j) {
                    take(j, row * out + i, q * size + k);
                  });
      }
    }
    finish(span.row() * w.in[last] + c, n);
  }
}

// The largest element of each window and its tap, the first one of several;
// NaN counts as largest.
struct WindowMax {
  static constexpr std::string_view kName = "max pooling";

  WindowGeometry window;
  const void* x;
  void* y;
  int32_t* taps;  // null where nobody wants them

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    Element best[kWindowBlock<Span>];
    int32_t at[kWindowBlock<Span>];
    visit_outputs(
        span, window,
        [&](int64_t n) {
          for (int64_t j = 0; j < n; ++j) {
            best[j] = -std::numeric_limits<Element>::infinity();
            at[j] = 0;
          }
        },
        [&](int64_t j, int64_t element, int64_t tap) {
          const Element v = span.load(x, element);
          const bool larger = !(v <= best[j]) & (best[j] == best[j]);
          best[j] = larger ? v : best[j];
          at[j] = larger ? static_cast<int32_t>(tap) : at[j];
        },
        [&](int64_t first, int64_t n) {
          for (int64_t j = 0; j < n; ++j) span.store(y, first + j, best[j]);
          if (taps == nullptr) return;
          for (int64_t j = 0; j < n; ++j) taps[first + j] = at[j];
        });
  }
};

// factor times the sum of each window.
struct WindowSum {
  static constexpr std::string_view kName = "sums of windows";

  WindowGeometry window;
  const void* x;
  void* y;
  double factor;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    Element sum[kWindowBlock<Span>];
    visit_outputs(
        span, window,
        [&](int64_t n) {
          for (int64_t j = 0; j < n; ++j) sum[j] = Element(0);
        },
        [&](int64_t j, int64_t element, int64_t) {
          sum[j] += span.load(x, element);
        },
        [&](int64_t first, int64_t n) {
          for (int64_t j = 0; j < n; ++j) {
            span.store(y, first + j, sum[j] * static_cast<Element>(factor));
          }
        });
  }
};

// The transpose of WindowSum: each input gets factor times the sum of the
// outputs whose windows it is in.
struct WindowSpread {
  static constexpr std::string_view kName = "spreading over windows";

  WindowGeometry window;
  const void* y;
  void* x;
  double factor;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    Element sum[kWindowBlock<Span>];
    visit_inputs(
        span, window,
        [&](int64_t n) {
          for (int64_t j = 0; j < n; ++j) sum[j] = Element(0);
        },
        [&](int64_t j, int64_t output, int64_t) {
          sum[j] += span.load(y, output);
        },
        [&](int64_t first, int64_t n) {
          for (int64_t j = 0; j < n; ++j) {
            span.store(x, first + j, sum[j] * static_cast<Element>(factor));
          }
        });
  }
};

// The element of each window that is its tap; 0 where there is none.
struct WindowPick {
  static constexpr std::string_view kName = "picking from windows";

  WindowGeometry window;
  const void* x;
  const int32_t* taps;
  void* y;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    const WindowGeometry& w = window;
    const int last = w.last();
    int64_t place[kMaxWindowAxes];
    const int64_t image = w.split_row(span.row(), w.out, place);
    const int64_t elements = WindowGeometry::product(w.in, w.ndim);
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      const int64_t output = span.row() * w.out[last] + i;
      place[last] = i;
      const int64_t element = w.element(place, taps[output]);
      const Element picked =
          element < 0 ? Element(0) : span.load(x, image * elements + element);
      span.store(y, output, picked);
    }
  }
};

// The transpose of WindowPick: each output is added to the input that its tap
// is. A span is an image.
struct WindowPlace {
  static constexpr std::string_view kName = "placing into windows";

  WindowGeometry window;
  const void* y;
  const int32_t* taps;
  void* x;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    const int64_t width = window.in[window.last()];
    const int64_t rows = WindowGeometry::product(window.in, window.ndim - 1);
    if constexpr (!Span::kWhole) {
      collect(
          Span(span.row() * rows + span.begin() / width, span.begin() % width));
    } else if constexpr (std::is_same_v<typename Span::Stored,
                                        typename Span::Element>) {
      place_all(span);
    } else {  // sums must not be rounded on the way
      for (int64_t r = 0; r < rows; ++r) {
        collect(Span(span.row() * rows + r, width));
      }
    }
  }

 private:
  template <class Span>
  CATENA_HOST_DEVICE void place_all(const Span& span) const {
    using Element = typename Span::Element;
    const WindowGeometry& w = window;
    const int last = w.last();
    const int64_t elements = WindowGeometry::product(w.in, w.ndim);
    const int64_t start = span.row() * elements;
    for (int64_t i = 0; i < elements; ++i) {
      span.store(x, start + i, Element(0));
    }
    const int64_t rows = WindowGeometry::product(w.out, w.ndim - 1);
    const int64_t count = WindowGeometry::product(w.size, w.ndim);
    if (count <= kTable) return place_by_table(span, rows, count);
    for (int64_t r = span.row() * rows; r < (span.row() + 1) * rows; ++r) {
      int64_t place[kMaxWindowAxes];
      w.split_row(r, w.out, place);
      for (int64_t i = 0; i < w.out[last]; ++i) {
        const int64_t output = r * w.out[last] + i;
        place[last] = i;
        const int64_t element = w.element(place, taps[output]);
        if (element < 0) continue;
        span.store(x, start + element,
                   span.load(x, start + element) + span.load(y, output));
      }
    }
  }

  // The same without divisions, for windows of few taps.
  static constexpr int64_t kTable = 256;
  template <class Span>
  CATENA_HOST_DEVICE void place_by_table(const Span& span, int64_t rows,
                                         int64_t count) const {
    const WindowGeometry& w = window;
    const int last = w.last();
    const int64_t in = w.in[last];
    uint8_t outer_of[kTable];
    uint8_t inner_of[kTable];
    for (int64_t tap = 0; tap < count; ++tap) {
      outer_of[tap] = static_cast<uint8_t>(tap / w.size[last]);
      inner_of[tap] = static_cast<uint8_t>(tap % w.size[last]);
    }
    for (int64_t r = span.row() * rows; r < (span.row() + 1) * rows; ++r) {
      int64_t place[kMaxWindowAxes];
      w.split_row(r, w.out, place);
      // Where the rows of the input begin that the outer taps read.
      int64_t starts[kTable];
      for (int64_t q = 0; q < w.outer_taps(); ++q) {
        const int64_t row = w.input_row(span.row(), place, q);
        starts[q] = row < 0 ? -1 : row * in;
      }
      for (int64_t i = 0; i < w.out[last]; ++i) {
        const int64_t output = r * w.out[last] + i;
        const auto tap = static_cast<uint32_t>(taps[output]);
        if (tap >= count) continue;
        const int64_t begin = starts[outer_of[tap]];
        const int64_t column = i * w.stride[last] - w.pad[last] + inner_of[tap];
        if (begin < 0 || column < 0 || column >= in) continue;
        span.store(x, begin + column,
                   span.load(x, begin + column) + span.load(y, output));
      }
    }
  }

  // The same for a span of a row of inputs, each from where it may come.
  template <class Span>
  CATENA_HOST_DEVICE void collect(const Span& span) const {
    using Element = typename Span::Element;
    Element sum[kWindowBlock<Span>];
    visit_inputs(
        span, window,
        [&](int64_t n) {
          for (int64_t j = 0; j < n; ++j) sum[j] = Element(0);
        },
        [&](int64_t j, int64_t output, int64_t tap) {
          if (taps[output] == tap) sum[j] += span.load(y, output);
        },
        [&](int64_t first, int64_t n) {
          for (int64_t j = 0; j < n; ++j) span.store(x, first + j, sum[j]);
        });
  }
};

using WindowOps =
    TypeList<WindowMax, WindowSum, WindowSpread, WindowPick, WindowPlace>;

}  // namespace catena::functions
