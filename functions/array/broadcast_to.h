#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x broadcast to a shape, as a read-only view; x itself if it has that shape.
// Any dtype; the gradient is summed over repeated elements. Throws InvalidType
// when x does not broadcast to the shape.
Variable broadcast_to(const Variable& x, const Shape& shape);

}  // namespace catena::functions
