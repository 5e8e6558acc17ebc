#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Slices taken out of an array and put into one, and differences of neighbours.
// Without an axis the array is flattened first. All return new arrays and throw
// IndexError for an axis or an index out of range.
namespace catena::array {

// The array without the slices at the indices along `axis`; one that is named
// twice is missing once. (`delete` is a keyword of C++.)
Array delete_(const Array& a, std::span<const int64_t> indices,
              std::optional<int64_t> axis = std::nullopt);
inline Array delete_(const Array& a, std::initializer_list<int64_t> indices,
                     std::optional<int64_t> axis = std::nullopt) {
  return delete_(a, std::span(indices.begin(), indices.size()), axis);
}

// The array with values put in before the slices at the indices along `axis`,
// which may be the extent: the end. One for each index, in the order of the
// indices where these are equal. `values` broadcasts to the slices that are new
// and is cast to a's dtype. ShapeError.
Array insert(const Array& a, std::span<const int64_t> indices,
             const Operand& values, std::optional<int64_t> axis = std::nullopt);
inline Array insert(const Array& a, std::initializer_list<int64_t> indices,
                    const Operand& values,
                    std::optional<int64_t> axis = std::nullopt) {
  return insert(a, std::span(indices.begin(), indices.size()), values, axis);
}

// a[1:] - a[:-1] along the axis, n times; of bool arrays whether the two
// differ. ValueError when n is negative.
Array diff(const Array& a, int64_t n = 1, int64_t axis = -1);

}  // namespace catena::array
