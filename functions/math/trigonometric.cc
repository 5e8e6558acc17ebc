#include "catena/functions/math/trigonometric.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/trigonometric_ops.h"

namespace catena::functions {

// Overloads for the gradients of sin and cos when they are recorded.
Traced sin(const Traced& x);
Traced cos(const Traced& x);
Traced sin(const Traced& x) { return trace<Sin>(x); }
Traced cos(const Traced& x) { return trace<Cos>(x); }

Variable sin(const Variable& x) { return elementwise<Sin>(x); }
Variable cos(const Variable& x) { return elementwise<Cos>(x); }
Variable tan(const Variable& x) { return elementwise<Tan>(x); }
Variable arcsin(const Variable& x) { return elementwise<Arcsin>(x); }
Variable arccos(const Variable& x) { return elementwise<Arccos>(x); }
Variable arctan(const Variable& x) { return elementwise<Arctan>(x); }
Variable arctan2(const Variable& x1, const Variable& x2) {
  return elementwise<Arctan2>(x1, x2);
}

}  // namespace catena::functions
