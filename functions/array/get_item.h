#pragma once

#include <initializer_list>

#include "catena/array/index.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The part of x that x[indexes] selects: integers, slices, newaxis, ellipsis
// (array/index.h); a view. Any dtype. The gradient is 0 outside the part.
// IndexError when an index is out of range or there are too many.
Variable get_item(const Variable& x, std::initializer_list<Index> indexes);
Variable get_item(const Variable& x, std::span<const Index> indexes);

// The slices of x along an axis at integer indices, whose shape replaces the
// axis; negative ones count from the end. Gradients of a slice that is selected
// several times add up. IndexError, DtypeError, DeviceError as in array::take.
Variable get_item(const Variable& x, const Array& indices, int64_t axis = 0);

}  // namespace catena::functions
