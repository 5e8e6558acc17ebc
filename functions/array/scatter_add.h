#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/indexing/getitem.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// A copy of a in which b is added to a[slices], with broadcasting. An element
// that is selected more than once receives every addition. Indexes are as in
// get_item. a and b have the same dtype. The gradient of a equals y's. Throws
// InvalidType when the dtypes differ, ShapeError when b does not broadcast, and
// the errors of get_item.
Variable scatter_add(const Variable& a, std::span<const AdvancedIndex> slices,
                     const Variable& b);
inline Variable scatter_add(const Variable& a,
                            std::initializer_list<AdvancedIndex> slices,
                            const Variable& b) {
  return scatter_add(a, std::span(slices.begin(), slices.size()), b);
}

}  // namespace catena::functions
