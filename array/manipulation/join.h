#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"

// concatenate (concatenate.h) under other names. The dtype of the result is
// what the arrays' promote to. All throw ValueError when there are no arrays,
// ShapeError when other extents differ, DeviceError.
namespace catena::array {

// Along the first axis; arrays with one axis are rows.
Array vstack(std::span<const Array> arrays);
// Along the second axis; arrays with one axis along that.
Array hstack(std::span<const Array> arrays);
// Along the third axis, after atleast_3d.
Array dstack(std::span<const Array> arrays);
// Along the second axis; arrays with one axis are columns. ShapeError for more
// than two axes or none.
Array column_stack(std::span<const Array> arrays);

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

// `values` behind `a` along an axis; both flattened without one. A new array.
Array append(const Array& a, const Array& values,
             std::optional<int64_t> axis = std::nullopt);

}  // namespace catena::array
