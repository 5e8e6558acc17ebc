#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "catena/array/array.h"

// An array cut along an axis. The parts are views.
namespace catena::array {

// Into so many parts, the first ones one longer where they cannot be equal. At
// the indices: the parts [0, i0), [i0, i1), ..., [ik, end), as slices take
// their ends. IndexError for an axis out of range, ValueError when the number
// of parts is not positive.
std::vector<Array> array_split(const Array& a, int64_t sections,
                               int64_t axis = 0);
std::vector<Array> array_split(const Array& a, std::span<const int64_t> indices,
                               int64_t axis = 0);
inline std::vector<Array> array_split(const Array& a,
                                      std::initializer_list<int64_t> indices,
                                      int64_t axis = 0) {
  return array_split(a, std::span(indices.begin(), indices.size()), axis);
}

// The same; ValueError when equal parts are not possible.
std::vector<Array> split(const Array& a, int64_t sections, int64_t axis = 0);
std::vector<Array> split(const Array& a, std::span<const int64_t> indices,
                         int64_t axis = 0);
inline std::vector<Array> split(const Array& a,
                                std::initializer_list<int64_t> indices,
                                int64_t axis = 0) {
  return split(a, std::span(indices.begin(), indices.size()), axis);
}

// split along the first, the second (the first when there is one) and the third
// axis. ShapeError for fewer than two, one and three axes.
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
