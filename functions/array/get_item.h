#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/index.h"
#include "catena/array/indexing/getitem.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The part of x that x[indexes] selects: integers, slices, newaxis and ellipsis
// (array/index.h), which give a view, and arrays of integers or bool among them
// (array/indexing/getitem.h), which give a copy. Any dtype. The gradient is 0
// outside the part; those of an element that is selected several times add up.
// IndexError when an index is out of range or there are too many; with arrays
// also ShapeError, DtypeError and DeviceError.
Variable get_item(const Variable& x,
                  std::initializer_list<AdvancedIndex> indexes);
Variable get_item(const Variable& x, std::span<const AdvancedIndex> indexes);
Variable get_item(const Variable& x, std::span<const Index> indexes);

// The slices of x along an axis at integer indices, whose shape replaces the
// axis; negative ones count from the end. Gradients of a slice that is selected
// several times add up. IndexError, DtypeError, DeviceError as in array::take.
Variable get_item(const Variable& x, const Array& indices, int64_t axis = 0);

}  // namespace catena::functions
