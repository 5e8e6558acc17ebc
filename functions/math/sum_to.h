#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elements of x added up over the axes along which `shape` broadcasts to
// x's: the inverse of broadcast_to, as gradients need it. x itself when it has
// the shape. InvalidType when `shape` does not broadcast to x's.
Variable sum_to(const Variable& x, const Shape& shape);

}  // namespace catena::functions
