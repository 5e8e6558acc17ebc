#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "catena/array/array.h"

// Splitting an array along an axis into views.
namespace catena::array {

// Splits into `sections` parts, the first ones longer by one if they cannot be
// equal, or at the indices: [0, i0), [i0, i1), ..., [ik, end), by the rules of
// slices. Throws IndexError for an axis out of range, ValueError unless the
// number of parts is positive.
std::vector<Array> array_split(const Array& a, int64_t sections,
                               int64_t axis = 0);
std::vector<Array> array_split(const Array& a, std::span<const int64_t> indices,
                               int64_t axis = 0);
inline std::vector<Array> array_split(const Array& a,
                                      std::initializer_list<int64_t> indices,
                                      int64_t axis = 0) {
  return array_split(a, std::span(indices.begin(), indices.size()), axis);
}

// Like array_split, but throws ValueError if equal parts are not possible.
std::vector<Array> split(const Array& a, int64_t sections, int64_t axis = 0);
std::vector<Array> split(const Array& a, std::span<const int64_t> indices,
                         int64_t axis = 0);
inline std::vector<Array> split(const Array& a,
                                std::initializer_list<int64_t> indices,
                                int64_t axis = 0) {
  return split(a, std::span(indices.begin(), indices.size()), axis);
}

// split along the first, the second (for 1-d arrays, the first) and the third
// axis. Throw ShapeError for fewer than two, one and three axes.
std::vector<Array> vsplit(const Array& a, int64_t sections);
std::vector<Array> hsplit(const Array& a, int64_t sections);
std::vector<Array> dsplit(const Array& a, int64_t sections);
std::vector<Array> vsplit(const Array& a,
                          std::initializer_list<int64_t> indices);
std::vector<Array> hsplit(const Array& a,
                          std::initializer_list<int64_t> indices);
std::vector<Array> dsplit(const Array& a,
                          std::initializer_list<int64_t> indices);

}  // namespace catena::array
