#pragma once

#include <cstdint>
#include <type_traits>

#include "catena/array/core/host_device.h"
#include "catena/array/core/shape.h"

// Sliding windows over images with any number of spatial axes. An image is one
// channel of one sample; a row is its last axis.
namespace catena::functions {

inline constexpr int kMaxWindowAxes = kMaxDims - 2;

// The smallest n >= 0 with n step >= x. Common steps need no division.
CATENA_HOST_DEVICE int64_t steps_to(int64_t x, int64_t step) {
  if (x <= 0) return 0;
  if (step == 1) return x;
  if (step == 2) return (x + 1) / 2;
  return (x + step - 1) / step;
}

// Where the row of this index is among images with these extents: the image,
// and the positions along the ndim - 1 axes before the last.
class RowPositions {
 public:
  CATENA_HOST_DEVICE RowPositions(int64_t row, const int64_t* extents,
                                  int ndim) {
    for (int d = ndim - 2; d >= 0; --d) {
      positions_[d] = row % extents[d];
      row /= extents[d];
    }
    image_ = row;
  }

  CATENA_HOST_DEVICE int64_t image() const { return image_; }
  // What take() may be called of.
  CATENA_HOST_DEVICE const RowPositions& walk() const { return *this; }
  // The position along axis d. Call for the last of the axes first.
  CATENA_HOST_DEVICE int64_t take(const int64_t* /*extents*/, int /*ndim*/,
                                  int d) const {
    return positions_[d];
  }

 private:
  int64_t image_;
  int64_t positions_[kMaxWindowAxes];
};

// The same for GPUs, whose registers are no array: two positions are kept, and
// those of more axes divided out of the index each time.
class FewRowPositions {
 public:
  CATENA_HOST_DEVICE FewRowPositions(int64_t row, const int64_t* extents,
                                     int ndim) {
    if (ndim > 1) {
      nearest_ = row % extents[ndim - 2];
      row /= extents[ndim - 2];
    }
    if (ndim > 2) {
      next_ = row % extents[ndim - 3];
      row /= extents[ndim - 3];
    }
    rest_ = row;
    for (int d = ndim - 4; d >= 0; --d) row /= extents[d];
    image_ = row;
  }

  CATENA_HOST_DEVICE int64_t image() const { return image_; }
  CATENA_HOST_DEVICE FewRowPositions walk() const { return *this; }
  CATENA_HOST_DEVICE int64_t take(const int64_t* extents, int ndim, int d) {
    if (d == ndim - 2) return nearest_;
    if (d == ndim - 3) return next_;
    const int64_t position = rest_ % extents[d];
    rest_ /= extents[d];
    return position;
  }

 private:
  int64_t image_;
  int64_t nearest_ = 0;  // along the axis before the last
  int64_t next_ = 0;     // along the one before that
  int64_t rest_;         // the index over the axes before these
};

template <class Span>
using RowPlace =
    std::conditional_t<Span::kWhole, RowPositions, FewRowPositions>;

// A Window (internal/window.h) on images of given extents, as an argument of
// kernels: size[d] elements move over in[d] elements, with pad[d] of padding at
// each end, in steps of stride[d] to out[d] positions. The index of an element
// within a window, in C order, is called a tap.
struct WindowArgs {
  int ndim;
  int64_t in[kMaxWindowAxes];
  int64_t out[kMaxWindowAxes];
  int64_t size[kMaxWindowAxes];
  int64_t stride[kMaxWindowAxes];
  int64_t pad[kMaxWindowAxes];

  CATENA_HOST_DEVICE int last() const { return ndim - 1; }
  // The products of all extents but the last, and of all extents.
  static CATENA_HOST_DEVICE int64_t product(const int64_t* extents, int count) {
    int64_t result = 1;
    for (int d = 0; d < count; ++d) result *= extents[d];
    return result;
  }
  CATENA_HOST_DEVICE int64_t outer_taps() const {
    return product(size, ndim - 1);
  }

  // Whether windows are 2 x 2, adjacent and all inside the image, the common
  // case.
  CATENA_HOST_DEVICE bool are_pairs() const {
    bool result = ndim == 2;
    for (int d = 0; d < ndim; ++d) {
      result = result && size[d] == 2 && stride[d] == 2 && pad[d] == 0 &&
               2 * out[d] <= in[d];
    }
    return result;
  }

  // The index along axis d of an outer tap; the rest stays in q. Call for the
  // last axis first; the first axis gets the remainder. Divisions cost more
  // here than the elements do.
  CATENA_HOST_DEVICE int64_t take_tap(int64_t& q, int d) const {
    if (d == 0) return q;
    const int64_t tap = q % size[d];
    q /= size[d];
    return tap;
  }

  // The input row that outer tap q of the window at `place` reads; -1 for
  // padding.
  template <class Place>
  CATENA_HOST_DEVICE int64_t input_row(const Place& place, int64_t q) const {
    auto&& positions = place.walk();
    int64_t row = 0;
    int64_t rows = 1;
    for (int d = ndim - 2; d >= 0; --d) {
      const int64_t i =
          positions.take(out, ndim, d) * stride[d] - pad[d] + take_tap(q, d);
      if (i < 0 || i >= in[d]) return -1;
      row += i * rows;
      rows *= in[d];
    }
    return place.image() * rows + row;
  }
  // The output row whose windows have the row at `place` as their outer tap q;
  // -1 if there is none.
  template <class Place>
  CATENA_HOST_DEVICE int64_t output_row(const Place& place, int64_t q) const {
    auto&& positions = place.walk();
    int64_t row = 0;
    int64_t rows = 1;
    for (int d = ndim - 2; d >= 0; --d) {
      const int64_t t = positions.take(in, ndim, d) + pad[d] - take_tap(q, d);
      const int64_t i = t < 0 ? 0 : steps_to(t, stride[d]);
      if (t < 0 || i * stride[d] != t || i >= out[d]) return -1;
      row += i * rows;
      rows *= out[d];
    }
    return place.image() * rows + row;
  }

  // The element of the image that a tap of window `column` of the row at
  // `place` reads; -1 for padding or an invalid tap.
  template <class Place>
  CATENA_HOST_DEVICE int64_t element(const Place& place, int64_t column,
                                     int32_t tap) const {
    auto&& positions = place.walk();
    int64_t result = 0;
    int64_t elements = 1;
    for (int d = last(); d >= 0; --d) {
      const int64_t position =
          d == last() ? column : positions.take(out, ndim, d);
      const int32_t extent = static_cast<int32_t>(size[d]);
      const int64_t i = position * stride[d] - pad[d] + tap % extent;
      tap /= extent;
      if (i < 0 || i >= in[d]) return -1;
      result += i * elements;
      elements *= in[d];
    }
    return tap == 0 ? result : -1;
  }
};

}  // namespace catena::functions
