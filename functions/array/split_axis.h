#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// x cut along an axis, as views: into so many equal parts, or before the
// indices, which do not fall: the parts [0, i0), [i0, i1), ..., [ik, end),
// which may be empty. Any dtype. InvalidType when the axis is out of range, its
// extent does not divide, or an index lies beyond it; ValueError for a number
// of parts that is not positive or indices that fall. (There is no force_tuple:
// one part comes in a list, too.)
Variables split_axis(const Variable& x, int64_t sections, int64_t axis);
Variables split_axis(const Variable& x, std::span<const int64_t> indices,
                     int64_t axis);
inline Variables split_axis(const Variable& x,
                            std::initializer_list<int64_t> indices,
                            int64_t axis) {
  return split_axis(x, std::span(indices.begin(), indices.size()), axis);
}

}  // namespace catena::functions
