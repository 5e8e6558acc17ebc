#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Splitting an array along an axis into views.
namespace catena::array {

// Splits into `sections` parts, the first ones longer by one if they cannot be
// equal, or at the indices: [0, i0), [i0, i1), ..., [ik, end), by the rules of
// slices. Throws IndexError for an axis out of range, ValueError unless the
// number of parts is positive.
std::vector<Array> array_split(const Array& a, int64_t sections,
                               const AxisOption& options = {.axis = 0});
std::vector<Array> array_split(const Array& a, std::span<const int64_t> indices,
                               const AxisOption& options = {.axis = 0});
inline std::vector<Array> array_split(const Array& a,
                                      std::initializer_list<int64_t> indices,
                                      const AxisOption& options = {.axis = 0}) {
  return array_split(a, std::span(indices.begin(), indices.size()), options);
}
template <class = void>
std::vector<Array> array_split(const Array& a, int64_t sections, Axis axis) {
  return array_split(a, sections, {.axis = axis});
}
template <class = void>
std::vector<Array> array_split(const Array& a, std::span<const int64_t> indices,
                               Axis axis) {
  return array_split(a, indices, {.axis = axis});
}
template <class = void>
std::vector<Array> array_split(const Array& a,
                               std::initializer_list<int64_t> indices,
                               Axis axis) {
  return array_split(a, indices, {.axis = axis});
}

// Like array_split, but throws ValueError when equal parts are not possible.
std::vector<Array> split(const Array& a, int64_t sections,
                         const AxisOption& options = {.axis = 0});
std::vector<Array> split(const Array& a, std::span<const int64_t> indices,
                         const AxisOption& options = {.axis = 0});
inline std::vector<Array> split(const Array& a,
                                std::initializer_list<int64_t> indices,
                                const AxisOption& options = {.axis = 0}) {
  return split(a, std::span(indices.begin(), indices.size()), options);
}
template <class = void>
std::vector<Array> split(const Array& a, int64_t sections, Axis axis) {
  return split(a, sections, {.axis = axis});
}
template <class = void>
std::vector<Array> split(const Array& a, std::span<const int64_t> indices,
                         Axis axis) {
  return split(a, indices, {.axis = axis});
}
template <class = void>
std::vector<Array> split(const Array& a, std::initializer_list<int64_t> indices,
                         Axis axis) {
  return split(a, indices, {.axis = axis});
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
