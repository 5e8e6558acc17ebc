#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Joining arrays. The dtype of the result is what the arrays' promote to.
namespace catena::array {

// The arrays one after another along an axis that they have already;
// without an axis they are flattened first. ValueError when there are none,
// ShapeError when another extent differs, DeviceError, IndexError.
Array concatenate(std::span<const Array> arrays,
                  std::optional<int64_t> axis = 0);
inline Array concatenate(std::initializer_list<Array> arrays,
                         std::optional<int64_t> axis = 0) {
  return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}

// Arrays of one shape along a new axis, which stands at `axis` of the result.
// The same errors.
Array stack(std::span<const Array> arrays, int64_t axis = 0);
inline Array stack(std::initializer_list<Array> arrays, int64_t axis = 0) {
  return stack(std::span(arrays.begin(), arrays.size()), axis);
}

}  // namespace catena::array
