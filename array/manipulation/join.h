#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Variants of concatenate (concatenate.h). The dtype of the result is the
// promotion of the arrays' dtypes. All throw ValueError when there are no
// arrays, ShapeError when other extents differ, DeviceError.
namespace catena::array {

// Along the first axis; 1-d arrays are rows.
Array vstack(std::span<const Array> arrays);
// Along the second axis; 1-d arrays along their only axis.
Array hstack(std::span<const Array> arrays);
// Along the third axis, after atleast_3d.
Array dstack(std::span<const Array> arrays);
// Along the second axis; 1-d arrays are columns. Throws ShapeError for 0-d
// arrays and for more than two axes.
Array column_stack(std::span<const Array> arrays);

// The same with the arrays in braces.
inline Array vstack(std::initializer_list<Array> arrays) {
  return vstack(std::span(arrays.begin(), arrays.size()));
}
inline Array hstack(std::initializer_list<Array> arrays) {
  return hstack(std::span(arrays.begin(), arrays.size()));
}
inline Array dstack(std::initializer_list<Array> arrays) {
  return dstack(std::span(arrays.begin(), arrays.size()));
}
inline Array column_stack(std::initializer_list<Array> arrays) {
  return column_stack(std::span(arrays.begin(), arrays.size()));
}

// A new array of `a` followed by `values` along an axis; without an axis both
// are flattened.
Array append(const Array& a, const Array& values,
             const OptionalAxisOption& options = {});
template <class = void>
Array append(const Array& a, const Array& values, std::optional<Axis> axis) {
  return append(a, values, {.axis = axis});
}

}  // namespace catena::array
