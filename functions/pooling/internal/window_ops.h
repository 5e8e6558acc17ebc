#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/functions/pooling/internal/window_args.h"
#include "catena/functions/pooling/internal/window_tap_ops.h"
#include "catena/functions/pooling/internal/window_visit.h"

// The span functors (span_args.h) of pooling, its gradients and unpooling.
namespace catena::functions {

// The maximum of each window and its first tap; NaN counts as the largest
// value.
struct WindowMax {
  static constexpr std::string_view kName = "max pooling";

  WindowArgs window;
  const void* x;
  void* y;
  int32_t* taps;  // null if not needed

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    if constexpr (Span::kWhole) {
      if (window.are_pairs()) {
        return with_block_for<8>(
            window.out[1], [&](auto block) { visit_pairs<block()>(span); });
      }
    }
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

 private:
  template <int64_t kBlock, class Span>
  CATENA_HOST_DEVICE void visit_pairs(const Span& span) const {
    const WindowArgs& w = window;
    const int64_t image = span.row() / w.out[0];
    const int64_t place = span.row() % w.out[0];
    const int64_t upper = (image * w.in[0] + 2 * place) * w.in[1];
    const int64_t lower = upper + w.in[1];
    const int64_t first = span.row() * w.out[1];
    // Goes from last to first, so that the NaN test is on elements and never on
    // a selected value, for which compilers emit a branch.
    const auto best_of = [&](int64_t j, int32_t& at) {
      auto best = span.load(x, lower + 2 * j + 1);
      at = 3;
      const auto take = [&](int64_t element, int32_t tap) {
        const auto v = span.load(x, element);
        const bool precedes = (v >= best) | (v != v);
        best = precedes ? v : best;
        at = precedes ? tap : at;
      };
      take(lower + 2 * j, 2);
      take(upper + 2 * j + 1, 1);
      take(upper + 2 * j, 0);
      return best;
    };
    // Loads may extend into the next row, if there is one; only the requested
    // results are stored.
    const int64_t end = (image + 1) * w.in[0] * w.in[1];
    for (int64_t c = 0; c < w.out[1]; c += kBlock) {
      typename Span::Element best[kBlock];
      int32_t at[kBlock];
      const int64_t n = min_of(kBlock, w.out[1] - c);
      if (lower + 2 * (c + kBlock) <= end) {
        for (int64_t j = 0; j < kBlock; ++j) best[j] = best_of(c + j, at[j]);
      } else {
        for (int64_t j = 0; j < n; ++j) best[j] = best_of(c + j, at[j]);
      }
      for (int64_t j = 0; j < n; ++j) span.store(y, first + c + j, best[j]);
      if (taps == nullptr) continue;
      for (int64_t j = 0; j < n; ++j) taps[first + c + j] = at[j];
    }
  }
};

// factor times the sum of each window.
struct WindowSum {
  static constexpr std::string_view kName = "sums of windows";

  WindowArgs window;
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
// outputs whose windows contain it.
struct WindowSpread {
  static constexpr std::string_view kName = "spreading over windows";

  WindowArgs window;
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
