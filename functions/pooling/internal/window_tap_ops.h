#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "catena/functions/pooling/internal/window_args.h"
#include "catena/functions/pooling/internal/window_visit.h"

// The span functors (span_args.h) between windows and their selected elements,
// such as maxima.
namespace catena::functions {

// The element of each window at its tap; 0 if there is none.
struct WindowPick {
  static constexpr std::string_view kName = "picking from windows";

  WindowArgs window;
  const void* x;
  const int32_t* taps;
  void* y;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    const WindowArgs& w = window;
    const int last = w.last();
    const RowPlace<Span> place(span.row(), w.out, w.ndim);
    const int64_t elements = WindowArgs::product(w.in, w.ndim);
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      const int64_t output = span.row() * w.out[last] + i;
      const int64_t element = w.element(place, i, taps[output]);
      const Element picked =
          element < 0 ? Element(0)
                      : span.load(x, place.image() * elements + element);
      span.store(y, output, picked);
    }
  }
};

// The transpose of WindowPick: adds each output to the input at its tap. A span
// is an image.
struct WindowPlace {
  static constexpr std::string_view kName = "placing into windows";

  WindowArgs window;
  const void* y;
  const int32_t* taps;
  void* x;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    if constexpr (Span::kWhole) {
      if (window.are_pairs()) {
        return with_block_for<4>(
            window.out[1], [&](auto block) { place_pairs<block()>(span); });
      }
    }
    const int64_t width = window.in[window.last()];
    const int64_t rows = WindowArgs::product(window.in, window.ndim - 1);
    if constexpr (!Span::kWhole) {
      collect(
          Span(span.row() * rows + span.begin() / width, span.begin() % width));
    } else if constexpr (std::is_same_v<typename Span::Stored,
                                        typename Span::Element>) {
      place_all(span);
    } else {  // sums must not be rounded in between
      for (int64_t r = 0; r < rows; ++r) {
        collect(Span(span.row() * rows + r, width));
      }
    }
  }

 private:
  template <class Span>
  CATENA_HOST_DEVICE void place_all(const Span& span) const {
    using Element = typename Span::Element;
    const WindowArgs& w = window;
    const int last = w.last();
    const int64_t elements = WindowArgs::product(w.in, w.ndim);
    const int64_t start = span.row() * elements;
    for (int64_t i = 0; i < elements; ++i) {
      span.store(x, start + i, Element(0));
    }
    const int64_t rows = WindowArgs::product(w.out, w.ndim - 1);
    const int64_t count = WindowArgs::product(w.size, w.ndim);
    if (count <= kTable) return place_by_table(span, rows, count);
    for (int64_t r = span.row() * rows; r < (span.row() + 1) * rows; ++r) {
      const RowPlace<Span> place(r, w.out, w.ndim);
      for (int64_t i = 0; i < w.out[last]; ++i) {
        const int64_t output = r * w.out[last] + i;
        const int64_t element = w.element(place, i, taps[output]);
        if (element < 0) continue;
        span.store(x, start + element,
                   span.load(x, start + element) + span.load(y, output));
      }
    }
  }

  // Each element is in at most one window, so nothing is summed. Whole blocks
  // are stored, even beyond the end of a row within the image: the following
  // stores overwrite the excess.
  template <int64_t kBlock, class Span>
  CATENA_HOST_DEVICE void place_pairs(const Span& span) const {
    using Element = typename Span::Element;
    const WindowArgs& w = window;
    const int64_t width = w.in[1];
    const int64_t start = span.row() * w.in[0] * width;
    const int64_t end = start + w.in[0] * width;
    const int64_t last = (span.row() + 1) * w.out[0] * w.out[1];
    const auto clear = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) span.store(x, i, Element(0));
    };
    for (int64_t r = 0; r < w.out[0]; ++r) {
      const int64_t first = (span.row() * w.out[0] + r) * w.out[1];
      const int64_t upper = start + 2 * r * width;
      const int64_t lower = upper + width;
      for (int tap = 0; tap < 4; tap += 2) {
        const int64_t row = tap == 0 ? upper : lower;
        const auto place = [&](int64_t j) {
          const Element v = span.load(y, first + j);
          const int32_t at = taps[first + j];
          span.store(x, row + 2 * j, at == tap ? v : Element(0));
          span.store(x, row + 2 * j + 1, at == tap + 1 ? v : Element(0));
        };
        for (int64_t c = 0; c < w.out[1]; c += kBlock) {
          if (row + 2 * (c + kBlock) <= end && first + c + kBlock <= last) {
            for (int64_t j = 0; j < kBlock; ++j) place(c + j);
          } else {
            for (int64_t j = c; j < w.out[1]; ++j) place(j);
            break;
          }
        }
        clear(row + 2 * w.out[1], row + width);
      }
    }
    clear(start + 2 * w.out[0] * width, end);
  }

  // Avoids divisions, for windows with few taps.
  static constexpr int64_t kTable = 256;
  template <class Span>
  CATENA_HOST_DEVICE void place_by_table(const Span& span, int64_t rows,
                                         int64_t count) const {
    const WindowArgs& w = window;
    const int last = w.last();
    const int64_t in = w.in[last];
    uint8_t outer_of[kTable];
    uint8_t inner_of[kTable];
    for (int64_t tap = 0; tap < count; ++tap) {
      outer_of[tap] = static_cast<uint8_t>(tap / w.size[last]);
      inner_of[tap] = static_cast<uint8_t>(tap % w.size[last]);
    }
    for (int64_t r = span.row() * rows; r < (span.row() + 1) * rows; ++r) {
      const RowPlace<Span> place(r, w.out, w.ndim);
      // The starts of the input rows that the outer taps read.
      int64_t starts[kTable];
      for (int64_t q = 0; q < w.outer_taps(); ++q) {
        const int64_t row = w.input_row(place, q);
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

  // Computes a span of a row of inputs, each from all outputs that may select
  // it.
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

}  // namespace catena::functions
