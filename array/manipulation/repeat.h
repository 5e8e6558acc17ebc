#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Elements, slices and whole arrays several times. New arrays.
namespace catena::array {

// Each slice along `axis` `repeats` times in a row; each element of the
// flattened array without an axis. With a list, slice i repeats[i] times.
// ValueError for a negative number or a list that is neither as long as the
// axis nor has one entry, IndexError, ShapeError when too much comes out.
Array repeat(const Array& a, int64_t repeats,
             std::optional<int64_t> axis = std::nullopt);
Array repeat(const Array& a, std::span<const int64_t> repeats,
             std::optional<int64_t> axis = std::nullopt);
inline Array repeat(const Array& a, std::initializer_list<int64_t> repeats,
                    std::optional<int64_t> axis = std::nullopt) {
  return repeat(a, std::span(repeats.begin(), repeats.size()), axis);
}

// The array reps[i] times side by side along axis i. Where one of shape and
// `reps` is shorter it counts as having ones in front. ValueError for a
// negative number, ShapeError when too much comes out.
Array tile(const Array& a, const Shape& reps);

}  // namespace catena::array
