#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Sums x over the axes along which `shape` broadcasts to x's shape: the adjoint
// of broadcast_to, as gradients need it. x itself if it has that shape. Throws
// InvalidType when `shape` does not broadcast to x's.
Variable sum_to(const Variable& x, const Shape& shape);

}  // namespace catena::functions
