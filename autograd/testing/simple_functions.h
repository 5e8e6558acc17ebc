#pragma once

#include "catena/autograd/variable.h"

// The few differentiable functions that tests of autograd need, so that they
// do not depend on the functions library. Without broadcasting, but any dtype.
namespace catena::testing {

Variable add(const Variable& a, const Variable& b);  // retains nothing
Variable mul(const Variable& a, const Variable& b);  // retains its inputs
Variable exp(const Variable& x);                     // retains its output
Variable neg(const Variable& x);
// a + b and a - b: two outputs.
Variables add_sub(const Variable& a, const Variable& b);
// All elements' sum, 0-d, and its opposite.
Variable sum(const Variable& x);
Variable broadcast_to(const Variable& x, const Shape& shape);

}  // namespace catena::testing
