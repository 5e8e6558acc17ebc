#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/cuda/fast_divider.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/spans/sampling_ops.h"

// The samplings (sampling_ops.h) of resize_images and of
// spatial_transformer_sampler, and the gradient of the latter's grid.
namespace catena::functions {

// Each output pixel lies between two rows and two columns of its image.
struct ResizedImage {
  static constexpr std::string_view kName = "resize_images";
  static constexpr bool kOwnImages = true;

  // Along one axis: the elements before and after each output pixel, and the
  // weight of the latter.
  struct Axis {
    const int32_t* low;
    const int32_t* high;
    const double* weight;
  };
  Axis y;
  Axis x;
  int64_t width;
  cuda::IndexDivider out_width;

  template <class Span, class Tap>
  CATENA_HOST_DEVICE void taps(const Span&, int64_t, int64_t cell, int64_t,
                               const Tap& tap) const {
    using Element = typename Span::Element;
    const int64_t row = out_width.divide(cell);
    const int64_t column = cell - row * out_width.divisor();
    const Element wy = static_cast<Element>(y.weight[row]);
    const Element wx = static_cast<Element>(x.weight[column]);
    const Element one(1);
    const int64_t low = y.low[row] * width;
    const int64_t high = y.high[row] * width;
    tap(low + x.low[column], (one - wy) * (one - wx));
    tap(low + x.high[column], (one - wy) * wx);
    tap(high + x.low[column], wy * (one - wx));
    tap(high + x.high[column], wy * wx);
  }
};

// A grid position between elements of an image, which is surrounded by zeros.
template <class Element>
struct GridPosition {
  int64_t low;     // from -1 to extent - 1
  Element weight;  // of the next element
  bool is_inside;  // whether within the border of zeros

  CATENA_HOST_DEVICE GridPosition(Element x, int64_t extent) {
    const Element limit = static_cast<Element>(extent);
    const Element position =
        (x + Element(1)) * (limit - Element(1)) / Element(2);
    is_inside = position >= Element(-1) && position <= limit;
    const Element held = math::min(math::max(position, Element(-1)), limit);
    const Element floor = math::min(math::floor(held), limit - Element(1));
    low = static_cast<int64_t>(floor);
    // A pixel at NaN is NaN.
    weight = math::select(position == position, held - floor, position);
  }
};

// Each output pixel is sampled at its position in the grid, (N, 2, h', w'), x
// and y from -1 to 1.
struct GridSampling {
  static constexpr std::string_view kName = "spatial_transformer_sampler";
  static constexpr bool kOwnImages = true;

  const void* grid;
  int64_t height;
  int64_t width;
  int64_t cells;

  template <class Span>
  using Position = GridPosition<typename Span::Element>;

  template <class Span>
  CATENA_HOST_DEVICE Position<Span> x(const Span& span, int64_t image,
                                      int64_t cell) const {
    return {span.load(grid, 2 * image * cells + cell), width};
  }
  template <class Span>
  CATENA_HOST_DEVICE Position<Span> y(const Span& span, int64_t image,
                                      int64_t cell) const {
    return {span.load(grid, (2 * image + 1) * cells + cell), height};
  }

  CATENA_HOST_DEVICE bool has(int64_t row, int64_t column) const {
    return row >= 0 && row < height && column >= 0 && column < width;
  }

  template <class Span, class Tap>
  CATENA_HOST_DEVICE void taps(const Span& span, int64_t image, int64_t cell,
                               int64_t, const Tap& tap) const {
    using Element = typename Span::Element;
    const auto u = x(span, image, cell);
    const auto v = y(span, image, cell);
    for (int k = 0; k < 4; ++k) {
      const int64_t row = v.low + k / 2;
      const int64_t column = u.low + k % 2;
      if (!has(row, column)) continue;
      const Element wv = k / 2 == 1 ? v.weight : Element(1) - v.weight;
      const Element wu = k % 2 == 1 ? u.weight : Element(1) - u.weight;
      tap(row * width + column, wv * wu);
    }
  }
};

// The gradient of the grid: the derivative of gy times the sampled channels
// with respect to the position. Rows are images.
struct GridGradient {
  static constexpr std::string_view kName =
      "gradient of spatial_transformer_sampler";

  GridSampling sampling;
  int64_t channels;
  const void* x;
  const void* gy;
  void* ggrid;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    const GridSampling& s = sampling;
    const int64_t image = span.row();
    const int64_t elements = s.height * s.width;
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      const auto u = s.x(span, image, i);
      const auto v = s.y(span, image, i);
      Element gu(0);
      Element gv(0);
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = image * channels + c;
        const auto at = [&](int64_t row, int64_t column) {
          return s.has(row, column)
                     ? span.load(x, plane * elements + row * s.width + column)
                     : Element(0);
        };
        const Element a = at(v.low, u.low);
        const Element b = at(v.low, u.low + 1);
        const Element d = at(v.low + 1, u.low);
        const Element e = at(v.low + 1, u.low + 1);
        const Element g = span.load(gy, plane * s.cells + i);
        gu += g * ((Element(1) - v.weight) * (b - a) + v.weight * (e - d));
        gv += g * ((Element(1) - u.weight) * (d - a) + u.weight * (e - b));
      }
      if (!u.is_inside) gu = Element(0);
      if (!v.is_inside) gv = Element(0);
      const Element half(0.5);
      span.store(ggrid, 2 * image * s.cells + i,
                 gu * static_cast<Element>(s.width - 1) * half);
      span.store(ggrid, (2 * image + 1) * s.cells + i,
                 gv * static_cast<Element>(s.height - 1) * half);
    }
  }
};

using ImageSamplingOps =
    TypeList<SampleOp<ResizedImage>, SampleTransposeOp<ResizedImage>,
             SampleOp<GridSampling>, SampleTransposeOp<GridSampling>,
             GridGradient>;

}  // namespace catena::functions
