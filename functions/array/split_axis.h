#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// Splits x along an axis into views: a number of equal parts, or, with
// ascending indices, the possibly empty parts [0, i0), [i0, i1), ..., [ik,
// end). Any dtype. Throws InvalidType when the axis is out of range, its extent
// is not divisible, or an index is beyond its end; ValueError for a number of
// parts that is not positive or descending indices. (There is no force_tuple: a
// single part is also returned as a list.)
Variables split_axis(const Variable& x, int64_t sections,
                     const AxisOption& options);
Variables split_axis(const Variable& x, std::span<const int64_t> indices,
                     const AxisOption& options);
inline Variables split_axis(const Variable& x,
                            std::initializer_list<int64_t> indices,
                            const AxisOption& options) {
  return split_axis(x, std::span(indices.begin(), indices.size()), options);
}
template <class = void>
Variables split_axis(const Variable& x, int64_t sections, Axis axis) {
  return split_axis(x, sections, {.axis = axis});
}
template <class = void>
Variables split_axis(const Variable& x, std::span<const int64_t> indices,
                     Axis axis) {
  return split_axis(x, indices, {.axis = axis});
}
template <class = void>
Variables split_axis(const Variable& x, std::initializer_list<int64_t> indices,
                     Axis axis) {
  return split_axis(x, indices, {.axis = axis});
}

}  // namespace catena::functions
