#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with another shape, in C order; one extent may be -1 and is then inferred.
// x itself if it has that shape; a view if the memory layout allows. Any dtype.
// Throws InvalidType when the sizes differ, ValueError for more than one -1.
Variable reshape(const Variable& x, const Shape& shape);

}  // namespace catena::functions
