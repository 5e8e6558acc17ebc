#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Elements in another order along axes. All throw IndexError for an axis out of
// range.
namespace catena::array {

// Reversed along the axes, along all of them without any. Views.
Array flip(const Array& a, const std::optional<Axes>& axes = std::nullopt);
inline Array flip(const Array& a, int64_t axis) { return flip(a, Axes{axis}); }
// Along the second and along the first axis. ShapeError with fewer axes.
Array fliplr(const Array& a);
Array flipud(const Array& a);

// Turned by k times 90 degrees, from the first of two axes toward the second. A
// view. ValueError unless there are two different axes.
Array rot90(const Array& a, int64_t k = 1, const Axes& axes = {0, 1});

// The elements moved `shift` places on along the axis, those beyond the end to
// the front. Without an axis the flattened elements, in the same shape. A new
// array.
Array roll(const Array& a, int64_t shift,
           std::optional<int64_t> axis = std::nullopt);
// Along several axes; an axis that is named twice moves by both shifts.
// ValueError unless there is one shift for each axis, or one for all.
Array roll(const Array& a, const Shape& shifts, const Axes& axes);

}  // namespace catena::array
