#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/axis.h"
#include "catena/array/index.h"
#include "catena/array/indexing/getitem.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The elements x[indexes], as in NumPy. Integers, slices, newaxis and ellipsis
// (array/index.h) give a view; with integer or bool arrays among them
// (array/indexing/getitem.h), the result is a copy. Any dtype. The gradient is
// 0 for elements that are not selected, and summed for those selected more than
// once. Throws IndexError when an index is out of range (in an array on CUDA:
// when the host next waits for the device) or there are too many; with arrays
// also ShapeError, DtypeError and DeviceError.
Variable get_item(const Variable& x,
                  std::initializer_list<AdvancedIndex> indexes);
Variable get_item(const Variable& x, std::span<const AdvancedIndex> indexes);
Variable get_item(const Variable& x, std::span<const Index> indexes);

// The slices of x at integer indices along an axis; the shape of the indices
// replaces that axis. Negative indices count from the end. Gradients of a slice
// that is selected more than once are summed. Along the first axis, a bool
// array selects as in NumPy: get_item(x, mask) is get_item(x, {mask}). Throws
// IndexError, DtypeError and DeviceError like array::take.
Variable get_item(const Variable& x, const Array& indices,
                  const AxisOption& options = {.axis = 0});
template <class = void>
Variable get_item(const Variable& x, const Array& indices, Axis axis) {
  return get_item(x, indices, {.axis = axis});
}

}  // namespace catena::functions
