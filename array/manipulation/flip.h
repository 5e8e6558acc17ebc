#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Reordering elements along axes. All throw IndexError for an axis out of
// range.
namespace catena::array {

// A view reversed along the given axes, by default all.
Array flip(const Array& a, const std::optional<Axes>& axes = std::nullopt);
inline Array flip(const Array& a, int64_t axis) { return flip(a, Axes{axis}); }
// Flip the second and the first axis. Throw ShapeError for fewer axes.
Array fliplr(const Array& a);
Array flipud(const Array& a);

// A view rotated by k times 90 degrees, from the first axis towards the second.
// Throws ValueError unless there are two different axes.
Array rot90(const Array& a, int64_t k = 1, const Axes& axes = {0, 1});

// A new array with the elements shifted cyclically by `shift` along the axis.
// Without an axis the flattened array is shifted; the shape is kept.
Array roll(const Array& a, int64_t shift,
           std::optional<int64_t> axis = std::nullopt);
// Shifts along several axes; an axis given twice is shifted by both. Throws
// ValueError unless there is one shift per axis, or one for all.
Array roll(const Array& a, const Shape& shifts, const Axes& axes);

}  // namespace catena::array
