#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/host_device.h"
#include "catena/array/cuda/fast_divider.h"

// Span functors of linear maps that compute each result from a few elements of
// an image, its taps, and of their transposes. A sampling is a struct that
// enumerates the taps:
//
//   struct RoiAverage {
//     static constexpr std::string_view kName = "roi_average_pooling_2d";
//     // Whether result r is made from image r; else there is
//     // image(span, result).
//     static constexpr bool kOwnImages = false;
//     // Calls tap(element of the image, weight) for the taps of a cell. `at`
//     is
//     // the cell's number among all cells of all results and channels.
//     template <class Span, class Tap>
//     CATENA_HOST_DEVICE void taps(const Span& span, int64_t result,
//                                  int64_t cell, int64_t at,
//                                  const Tap& tap) const;
//   };
namespace catena::functions {

// Images are (images, channels, elements), results (results, channels, cells).
struct SampleGeometry {
  int64_t channels;
  int64_t elements;
  int64_t results;
  int64_t cells;
  // Each element of a GPU is a span, so that what the CPU divides once for a
  // row is divided for each.
  cuda::IndexDivider by_channels;
  cuda::IndexDivider by_cells;

  struct Plane {
    int64_t result;
    int64_t channel;
  };
  // Planes are numbered by result and channel.
  CATENA_HOST_DEVICE Plane plane(int64_t number) const {
    const int64_t result = by_channels.divide(number);
    return {result, number - result * channels};
  }
  // The first element of an image's channel.
  CATENA_HOST_DEVICE int64_t start(int64_t image, int64_t channel) const {
    return (image * channels + channel) * elements;
  }
};

template <class Sampling, class Span>
CATENA_HOST_DEVICE int64_t image_of(const Sampling& sampling, const Span& span,
                                    int64_t result) {
  if constexpr (Sampling::kOwnImages) {
    return result;
  } else {
    return sampling.image(span, result);
  }
}

// y = A x; rows are the channels of results.
template <class Sampling>
struct SampleOp {
  static constexpr std::string_view kName = Sampling::kName;

  SampleGeometry geometry;
  Sampling sampling;
  const void* x;
  void* y;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    const auto [result, channel] = geometry.plane(span.row());
    const int64_t start =
        geometry.start(image_of(sampling, span, result), channel);
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      const int64_t at = span.row() * geometry.cells + i;
      Element sum(0);
      sampling.taps(span, result, i, at, [&](int64_t element, Element weight) {
        sum += weight * span.load(x, start + element);
      });
      span.store(y, at, sum);
    }
  }
};

// x = A^T y, where x is `added`, initially zero and of the type computed in.
// Rows never write the same element: a row is a channel of one result if
// results have their own images, else a channel with the cells of all results.
template <class Sampling>
struct SampleTransposeOp {
  static constexpr std::string_view kName = Sampling::kName;

  SampleGeometry geometry;
  Sampling sampling;
  const void* y;
  void* added;
  int64_t added_size;

  template <class Span>
  CATENA_HOST_DEVICE void operator()(const Span& span) const {
    using Element = typename Span::Element;
    for (int64_t i = span.begin(); i < span.end(); ++i) {
      SampleGeometry::Plane plane = {geometry.by_cells.divide(i), span.row()};
      const int64_t cell = i - plane.result * geometry.cells;
      if constexpr (Sampling::kOwnImages) plane = geometry.plane(span.row());
      const auto [result, channel] = plane;
      const int64_t at =
          (result * geometry.channels + channel) * geometry.cells + cell;
      const int64_t start =
          geometry.start(image_of(sampling, span, result), channel);
      const Element gy = span.load(y, at);
      sampling.taps(span, result, cell, at,
                    [&](int64_t element, Element weight) {
                      span.add(added, start + element, weight * gy);
                    });
    }
  }
};

}  // namespace catena::functions
