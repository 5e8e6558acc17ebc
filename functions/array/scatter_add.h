#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/indexing/getitem.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// a with b, which broadcasts to a[slices], added there: a new array. An element
// that is selected several times receives as many values. The indexes are those
// of get_item. a and b are of one dtype. The gradient of a is that of y.
// InvalidType when the dtypes differ; the errors of get_item; ShapeError when b
// does not broadcast.
Variable scatter_add(const Variable& a, std::span<const AdvancedIndex> slices,
                     const Variable& b);
inline Variable scatter_add(const Variable& a,
                            std::initializer_list<AdvancedIndex> slices,
                            const Variable& b) {
  return scatter_add(a, std::span(slices.begin(), slices.size()), b);
}

}  // namespace catena::functions
