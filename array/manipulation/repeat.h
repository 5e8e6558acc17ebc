#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Repetition of elements, slices and arrays, as new arrays.
namespace catena::array {

// Repeats each slice along `axis` `repeats` times, or slice i repeats[i] times;
// without an axis, the elements of the flattened array. Throws ValueError for a
// negative number or a list whose length is neither 1 nor the axis's extent,
// IndexError, ShapeError when the result is too large.
Array repeat(const Array& a, int64_t repeats,
             const OptionalAxisOption& options = {});
Array repeat(const Array& a, std::span<const int64_t> repeats,
             const OptionalAxisOption& options = {});
inline Array repeat(const Array& a, std::initializer_list<int64_t> repeats,
                    const OptionalAxisOption& options = {}) {
  return repeat(a, std::span(repeats.begin(), repeats.size()), options);
}
template <class = void>
Array repeat(const Array& a, int64_t repeats, std::optional<Axis> axis) {
  return repeat(a, repeats, {.axis = axis});
}
template <class = void>
Array repeat(const Array& a, std::span<const int64_t> repeats,
             std::optional<Axis> axis) {
  return repeat(a, repeats, {.axis = axis});
}
template <class = void>
Array repeat(const Array& a, std::initializer_list<int64_t> repeats,
             std::optional<Axis> axis) {
  return repeat(a, repeats, {.axis = axis});
}

// Repeats the array reps[i] times along axis i. The shorter of shape and `reps`
// is prepended with ones. Throws ValueError for a negative number, ShapeError
// when the result is too large.
Array tile(const Array& a, const Shape& reps);

// a.repeat(repeats, axis)
struct RepeatMethods {
  static Array repeat(const Array& a, int64_t repeats,
                      std::optional<Axis> axis) {
    return array::repeat(a, repeats, {.axis = axis});
  }
};

}  // namespace catena::array
