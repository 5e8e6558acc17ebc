#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "catena/array/dtype.h"
#include "catena/functions/pooling/window_geometry.h"
#include "catena/functions/pooling/window_tap_ops.h"
#include "catena/functions/pooling/window_visit.h"

// The span functors (spans/span_args.h) of pooling, its gradients and its
// inverses.
namespace catena::functions {

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

using WindowOps =
    TypeList<WindowMax, WindowSum, WindowSpread, WindowPick, WindowPlace>;

}  // namespace catena::functions
