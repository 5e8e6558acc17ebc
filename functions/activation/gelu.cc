#include "catena/functions/activation/gelu.h"

#include "catena/functions/activation/internal/gelu_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/error_function_ops.h"

namespace catena::functions {

Traced lanes_ndtr(const Traced& x) { return trace<Ndtr>(x); }

Variable gelu(const Variable& x, const GeluOptions& options) {
  return options.tanh ? elementwise<TanhGelu>(x) : elementwise<Gelu>(x);
}

}  // namespace catena::functions
