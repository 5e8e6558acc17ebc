#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x repeated along new leading axes and axes of extent 1, so that it has the
// shape; a read-only view. x itself when it has it. Any dtype; the gradient is
// summed over what was repeated. InvalidType when x does not broadcast to it.
Variable broadcast_to(const Variable& x, const Shape& shape);

}  // namespace catena::functions
