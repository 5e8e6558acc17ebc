#include "catena/functions/math/error_functions.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/error_function_ops.h"
#include "catena/functions/math/internal/inverse_error_function_ops.h"

namespace catena::functions {

// Overloads for the gradient of log_ndtr when it is recorded.
Traced lanes_erfcx(const Traced& x) { return trace<Erfcx>(x); }

Variable erf(const Variable& x) { return elementwise<Erf>(x); }
Variable erfc(const Variable& x) { return elementwise<Erfc>(x); }
Variable erfcx(const Variable& x) { return elementwise<Erfcx>(x); }
Variable erfinv(const Variable& x) { return elementwise<Erfinv>(x); }
Variable erfcinv(const Variable& x) { return elementwise<Erfcinv>(x); }
Variable ndtr(const Variable& x) { return elementwise<Ndtr>(x); }
Variable log_ndtr(const Variable& x) { return elementwise<LogNdtr>(x); }
Variable ndtri(const Variable& x) { return elementwise<Ndtri>(x); }

}  // namespace catena::functions
