#include "catena/functions/math/gamma_functions.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/gamma_ops.h"

namespace catena::functions {

// Overloads for the gradients when they are recorded.
Traced lanes_digamma(const Traced& x);
Traced lanes_polygamma(const Traced& n, const Traced& x);
Traced lanes_zeta(const Traced& x, const Traced& q);
Traced lanes_constant(const Traced& x);

Variable lgamma(const Variable& x) { return elementwise<Lgamma>(x); }
Variable digamma(const Variable& x) { return elementwise<Digamma>(x); }
Variable polygamma(const Variable& n, const Variable& x) {
  if (n.dtype() == x.dtype()) return elementwise<Polygamma>(n, x);
  // n may have any dtype.
  return elementwise<Polygamma>(as_variable(n.data().astype(x.dtype())), x);
}
Variable polygamma(int64_t n, const Variable& x) {
  return elementwise<PolygammaOfOrder>({static_cast<double>(n)}, x);
}
Variable zeta(const Variable& x, const Variable& q) {
  return elementwise<Zeta>(x, q);
}

Traced lanes_digamma(const Traced& x) { return trace<Digamma>(x); }
Traced lanes_polygamma(const Traced& n, const Traced& x) {
  if (!n.is_number()) {
    return Traced(elementwise<Polygamma>(n.variable(), x.variable()));
  }
  return Traced(elementwise<PolygammaOfOrder>({n.number()}, x.variable()));
}
Traced lanes_zeta(const Traced& x, const Traced& q) {
  return Traced(elementwise<Zeta>(x.variable(), q.variable()));
}
Traced lanes_constant(const Traced& x) {
  return Traced(as_variable(x.variable().data()));
}

}  // namespace catena::functions
