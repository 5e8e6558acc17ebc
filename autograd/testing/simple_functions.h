#pragma once

#include "catena/autograd/variable.h"

// The few differentiable functions that autograd's tests need, so that they do
// not depend on //functions. Any dtype, no broadcasting.
namespace catena::testing {

Variable add(const Variable& a, const Variable& b);  // retains nothing
Variable mul(const Variable& a, const Variable& b);  // retains its inputs
Variable exp(const Variable& x);                     // retains its output
Variable neg(const Variable& x);
// Two outputs: a + b and a - b.
Variables add_sub(const Variable& a, const Variable& b);
// The sum of all elements, 0-d, and its inverse, a broadcast.
Variable sum(const Variable& x);
Variable broadcast_to(const Variable& x, const Shape& shape);

}  // namespace catena::testing
