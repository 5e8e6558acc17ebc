#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/cuda/fast_divider.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/spans/sampling_ops.h"

// The samplings (sampling_ops.h) of region-of-interest pooling, and the
// functors that find maxima.
namespace catena::functions {

// Regions of images (height, width), each split into (outh, outw) cells. With
// separate image indices, regions are (y0, x0, y1, x1) with exclusive ends;
// else (image, x0, y0, x1, y1) with inclusive ends.
struct Rois {
  const void* boxes;  // of the stored type
  const int32_t* images;
  double scale;
  int64_t height;
  int64_t width;
  int64_t outh;
  cuda::IndexDivider outw;

  template <class Span>
  CATENA_HOST_DEVICE int64_t image(const Span& span, int64_t roi) const {
    return images != nullptr ? images[roi]
                             : static_cast<int64_t>(span.load(boxes, 5 * roi));
  }

  // Where a cell is in its region.
  struct Place {
    int64_t row;
    int64_t column;
  };
  CATENA_HOST_DEVICE Place place(int64_t cell) const {
    const int64_t row = outw.divide(cell);
    return {row, cell - row * outw.divisor()};
  }

  struct Box {
    double y0, x0, y1, x1;
  };
  // Scaled, and clipped to a safe integer range.
  template <class Span>
  CATENA_HOST_DEVICE Box box(const Span& span, int64_t roi) const {
    const auto at = [&](int64_t i) {
      const double position = static_cast<double>(span.load(boxes, i)) * scale;
      return math::min(math::max(position, -1e6), 1e6);
    };
    if (images != nullptr) {
      return {at(4 * roi), at(4 * roi + 1), at(4 * roi + 2), at(4 * roi + 3)};
    }
    return {at(5 * roi + 2), at(5 * roi + 1), at(5 * roi + 4), at(5 * roi + 3)};
  }
};

// The elements [begin, end) of an axis that belong to bin i of `bins` of a
// region.
struct RoiBin {
  int64_t begin;
  int64_t end;

  CATENA_HOST_DEVICE RoiBin(int64_t i, int64_t bins, double low, double high,
                            int64_t extra, int64_t extent) {
    const double start = math::rint(low);
    const double length =
        math::max(math::rint(high) - start + static_cast<double>(extra), 1.0);
    const double step = length / static_cast<double>(bins);
    const auto held = [&](double x) {
      return static_cast<int64_t>(
          math::min(math::max(start + x, 0.0), static_cast<double>(extent)));
    };
    begin = held(math::floor(static_cast<double>(i) * step));
    end = held(math::ceil(static_cast<double>(i + 1) * step));
  }
};

// Regions with integer bounds, split into bins that may overlap.
struct RoiBins : Rois {
  // Calls visit(element) for the elements of a cell, in order; returns their
  // number.
  template <class Span, class Visit>
  CATENA_HOST_DEVICE int64_t each_element(const Span& span, int64_t roi,
                                          int64_t cell,
                                          const Visit& visit) const {
    const int64_t extra = images != nullptr ? 0 : 1;
    const Box b = box(span, roi);
    const auto [row, column] = place(cell);
    const RoiBin rows(row, outh, b.y0, b.y1, extra, height);
    const RoiBin columns(column, outw.divisor(), b.x0, b.x1, extra, width);
    if (rows.end <= rows.begin || columns.end <= columns.begin) return 0;
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) {
        visit(y * width + x);
      }
    }
    return (rows.end - rows.begin) * (columns.end - columns.begin);
  }
};

// The maximum of each cell, and its position in the image; 0 and -1 for an
// empty cell.
struct RoiMaxOp {
  static constexpr std::string_view kName = "maxima of regions";

  SampleGeometry geometry;
  RoiBins rois;
  const void* x;
  void* y;
  int32_t* positions;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    const auto [roi, channel] = geometry.plane(span.row());
    const int64_t start = geometry.start(rois.image(span, roi), channel);
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      Element best = -std::numeric_limits<Element>::infinity();
      int32_t position = -1;
      rois.each_element(span, roi, i, [&](int64_t element) {
        const Element v = span.load(x, start + element);
        if (position >= 0 && !(v > best)) return;
        best = v;
        position = static_cast<int32_t>(element);
      });
      const int64_t at = span.row() * geometry.cells + i;
      span.store(y, at, position < 0 ? Element(0) : best);
      positions[at] = position;
    }
  }
};

// The gradient of maxima: each cell's only tap is its maximum's position.
struct RoiMaximum : Rois {
  static constexpr std::string_view kName = "maxima of regions";
  static constexpr bool kOwnImages = false;

  const int32_t* positions;

  template <class Span, class Tap>
  CATENA_HOST_DEVICE void taps(const Span&, int64_t, int64_t, int64_t at,
                               const Tap& tap) const {
    using Element = typename Span::Element;
    if (positions[at] >= 0) tap(positions[at], Element(1));
  }
};

// The mean of each cell, 0 for an empty cell.
struct RoiAverage : RoiBins {
  static constexpr std::string_view kName = "roi_average_pooling_2d";
  static constexpr bool kOwnImages = false;

  template <class Span, class Tap>
  CATENA_HOST_DEVICE void taps(const Span& span, int64_t roi, int64_t cell,
                               int64_t, const Tap& tap) const {
    using Element = typename Span::Element;
    const int64_t count = each_element(span, roi, cell, [](int64_t) {});
    const Element weight = Element(1) / static_cast<Element>(count);
    each_element(span, roi, cell,
                 [&](int64_t element) { tap(element, weight); });
  }
};

// Regions with fractional bounds, with a grid of points per cell at which the
// image is interpolated.
struct RoiPoints : Rois {
  // Points along each axis of a cell; 0 for about one per element.
  int64_t grid_h;
  int64_t grid_w;

  // A region along one axis.
  struct Axis {
    double start;
    double step;  // of a cell
    int64_t points;

    CATENA_HOST_DEVICE Axis(double low, double high, int64_t cells,
                            int64_t grid)
        : start(low),
          step(math::max(high - low, 1.0) / static_cast<double>(cells)),
          points(grid > 0 ? grid : static_cast<int64_t>(math::ceil(step))) {}
    CATENA_HOST_DEVICE double at(int64_t cell, int64_t point) const {
      return start + static_cast<double>(cell) * step +
             (static_cast<double>(point) + 0.5) * step /
                 static_cast<double>(points);
    }
  };
  struct Grid {
    Axis y;
    Axis x;
    CATENA_HOST_DEVICE int64_t points() const { return y.points * x.points; }
  };
  template <class Span>
  CATENA_HOST_DEVICE Grid grid(const Span& span, int64_t roi) const {
    const Box b = box(span, roi);
    return {Axis(b.y0, b.y1, outh, grid_h),
            Axis(b.x0, b.x1, outw.divisor(), grid_w)};
  }

  // A position between two elements.
  template <class Element>
  struct Between {
    int64_t low;
    int64_t high;
    Element weight;  // of high
    bool is_inside;

    CATENA_HOST_DEVICE Between(double position, int64_t extent)
        : is_inside(position >= -1 && position <= static_cast<double>(extent)) {
      const double last = static_cast<double>(extent - 1);
      const double held = math::min(math::max(position, 0.0), last);
      low = static_cast<int64_t>(held);
      high = low + 1 < extent ? low + 1 : low;
      weight = static_cast<Element>(held - static_cast<double>(low));
    }
  };

  // Calls tap(element, weight) for the four elements around a point of a cell;
  // returns false, without calls, if the point is outside the image.
  template <class Element, class Tap>
  CATENA_HOST_DEVICE bool interpolate(const Grid& grid, const Place& cell,
                                      const Place& point, Element scale,
                                      const Tap& tap) const {
    const Between<Element> y(grid.y.at(cell.row, point.row), height);
    const Between<Element> x(grid.x.at(cell.column, point.column), width);
    if (!y.is_inside || !x.is_inside) return false;
    const Element one(1);
    tap(y.low * width + x.low, (one - y.weight) * (one - x.weight) * scale);
    tap(y.low * width + x.high, (one - y.weight) * x.weight * scale);
    tap(y.high * width + x.low, y.weight * (one - x.weight) * scale);
    tap(y.high * width + x.high, y.weight * x.weight * scale);
    return true;
  }
};

// The mean over the points of each cell.
struct RoiAlignAverage : RoiPoints {
  static constexpr std::string_view kName = "roi_average_align_2d";
  static constexpr bool kOwnImages = false;

  template <class Span, class Tap>
  CATENA_HOST_DEVICE void taps(const Span& span, int64_t roi, int64_t cell,
                               int64_t, const Tap& tap) const {
    using Element = typename Span::Element;
    const Grid points = grid(span, roi);
    const Element scale = Element(1) / static_cast<Element>(points.points());
    const Place at = place(cell);
    for (int64_t y = 0; y < points.y.points; ++y) {
      for (int64_t x = 0; x < points.x.points; ++x) {
        interpolate(points, at, {y, x}, scale, tap);
      }
    }
  }
};

// The maximum over the points of each cell, and the point's index; 0 and -1 if
// all are outside.
struct RoiAlignMaxOp {
  static constexpr std::string_view kName = "roi_max_align_2d";

  SampleGeometry geometry;
  RoiPoints rois;
  const void* x;
  void* y;
  int32_t* points;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    const auto [roi, channel] = geometry.plane(span.row());
    const int64_t start = geometry.start(rois.image(span, roi), channel);
    const RoiPoints::Grid grid = rois.grid(span, roi);
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      const RoiPoints::Place cell = rois.place(i);
      Element best(0);
      int32_t point = -1;
      for (int64_t row = 0; row < grid.y.points; ++row) {
        for (int64_t column = 0; column < grid.x.points; ++column) {
          Element v(0);
          const bool inside =
              rois.interpolate(grid, cell, {row, column}, Element(1),
                               [&](int64_t element, Element weight) {
                                 v += weight * span.load(x, start + element);
                               });
          if (!inside || (point >= 0 && !(v > best))) continue;
          best = v;
          point = static_cast<int32_t>(row * grid.x.points + column);
        }
      }
      const int64_t at = span.row() * geometry.cells + i;
      span.store(y, at, best);
      points[at] = point;
    }
  }
};

// The gradient of RoiAlignMaxOp: each cell has the taps of its maximum's point.
struct RoiAlignMaximum : RoiPoints {
  static constexpr std::string_view kName = "roi_max_align_2d";
  static constexpr bool kOwnImages = false;

  const int32_t* points;

  template <class Span, class Tap>
  CATENA_HOST_DEVICE void taps(const Span& span, int64_t roi, int64_t cell,
                               int64_t at, const Tap& tap) const {
    using Element = typename Span::Element;
    const int32_t point = points[at];
    if (point < 0) return;
    const Grid in = grid(span, roi);
    // Numbers of points have 31 bits, and so has a row of them.
    const auto columns = static_cast<int32_t>(in.x.points);
    const Place found = {point / columns, point % columns};
    interpolate(in, place(cell), found, Element(1), tap);
  }
};

using RoiOps =
    TypeList<RoiMaxOp, RoiAlignMaxOp, SampleOp<RoiMaximum>,
             SampleTransposeOp<RoiMaximum>, SampleOp<RoiAverage>,
             SampleTransposeOp<RoiAverage>, SampleOp<RoiAlignAverage>,
             SampleTransposeOp<RoiAlignAverage>, SampleOp<RoiAlignMaximum>,
             SampleTransposeOp<RoiAlignMaximum>>;

}  // namespace catena::functions
