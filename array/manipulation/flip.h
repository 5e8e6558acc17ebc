#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Reordering elements along axes. All throw IndexError for an axis out of
// range.
namespace catena::array {

// A view reversed along the given axes, by default all.
Array flip(const Array& a, const AxisSetOption& options = {});
template <class = void>
Array flip(const Array& a, const AxisSet& axis) {
  return flip(a, {.axis = axis});
}
// Flip the second and the first axis. Throw ShapeError for fewer axes.
Array fliplr(const Array& a);
Array flipud(const Array& a);

// A view rotated by k times 90 degrees, from the first axis towards the second.
// Throws ValueError unless there are two different axes.
Array rot90(const Array& a, int64_t k = 1, const Axes& axes = {0, 1});

// A new array with the elements shifted cyclically along the axes, by one shift
// for each or one for all; an axis given twice is shifted by both. Without an
// axis the flattened array is shifted; the shape is kept. Throws ValueError for
// a wrong number of shifts.
Array roll(const Array& a, const Shape& shifts,
           const AxisSetOption& options = {});
inline Array roll(const Array& a, int64_t shift,
                  const AxisSetOption& options = {}) {
  return roll(a, Shape{shift}, options);
}
template <class = void>
Array roll(const Array& a, const Shape& shifts, const AxisSet& axis) {
  return roll(a, shifts, {.axis = axis});
}
template <class = void>
Array roll(const Array& a, int64_t shift, const AxisSet& axis) {
  return roll(a, shift, {.axis = axis});
}

}  // namespace catena::array
