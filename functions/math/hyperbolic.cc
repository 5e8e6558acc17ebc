#include "catena/functions/math/hyperbolic.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/hyperbolic_ops.h"

namespace catena::functions {

// Overloads for the gradients of both when they are recorded.
Traced lanes_cosh(const Traced& x);
Traced lanes_sinh(const Traced& x);
Traced lanes_cosh(const Traced& x) { return trace<Cosh>(x); }
Traced lanes_sinh(const Traced& x) { return trace<Sinh>(x); }

Variable cosh(const Variable& x) { return elementwise<Cosh>(x); }
Variable sinh(const Variable& x) { return elementwise<Sinh>(x); }
Variable arctanh(const Variable& x) { return elementwise<Arctanh>(x); }

}  // namespace catena::functions
