#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Joining arrays. The dtype of the result is the promotion of the arrays'
// dtypes.
namespace catena::array {

// Joins arrays along an existing axis; without an axis they are flattened
// first. Throws ValueError when there are none, ShapeError when another extent
// differs, DeviceError, IndexError.
Array concatenate(std::span<const Array> arrays,
                  const OptionalAxisOption& options = {.axis = 0});
inline Array concatenate(std::initializer_list<Array> arrays,
                         const OptionalAxisOption& options = {.axis = 0}) {
  return concatenate(std::span(arrays.begin(), arrays.size()), options);
}
template <class = void>
Array concatenate(std::span<const Array> arrays, std::optional<Axis> axis) {
  return concatenate(arrays, {.axis = axis});
}
template <class = void>
Array concatenate(std::initializer_list<Array> arrays,
                  std::optional<Axis> axis) {
  return concatenate(arrays, {.axis = axis});
}

// Joins arrays of one shape along a new axis, `axis` of the result. Throws as
// concatenate does.
Array stack(std::span<const Array> arrays,
            const AxisOption& options = {.axis = 0});
inline Array stack(std::initializer_list<Array> arrays,
                   const AxisOption& options = {.axis = 0}) {
  return stack(std::span(arrays.begin(), arrays.size()), options);
}
template <class = void>
Array stack(std::span<const Array> arrays, Axis axis) {
  return stack(arrays, {.axis = axis});
}
template <class = void>
Array stack(std::initializer_list<Array> arrays, Axis axis) {
  return stack(arrays, {.axis = axis});
}

}  // namespace catena::array
