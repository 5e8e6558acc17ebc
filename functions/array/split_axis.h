#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Splits x along an axis into views: a number of equal parts, or, with
// ascending indices, the possibly empty parts [0, i0), [i0, i1), ..., [ik,
// end). Any dtype. Throws InvalidType when the axis is out of range, its extent
// is not divisible, or an index is beyond its end; ValueError for a number of
// parts that is not positive or descending indices. (There is no force_tuple: a
// single part is also returned as a list.)
Variables split_axis(const Variable& x, int64_t sections, int64_t axis);
Variables split_axis(const Variable& x, std::span<const int64_t> indices,
                     int64_t axis);
inline Variables split_axis(const Variable& x,
                            std::initializer_list<int64_t> indices,
                            int64_t axis) {
  return split_axis(x, std::span(indices.begin(), indices.size()), axis);
}

}  // namespace catena::functions
