#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elements of x, in C order, under another shape, one of whose extents may
// be -1; x itself when it has the shape. A view where the layout allows. Any
// dtype. InvalidType when the sizes differ, ValueError for several -1.
Variable reshape(const Variable& x, const Shape& shape);

}  // namespace catena::functions
