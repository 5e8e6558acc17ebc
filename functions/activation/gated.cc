#include "catena/functions/activation/gated.h"

#include "catena/functions/activation/internal/gelu_ops.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"

namespace catena::functions {

Variable swiglu(const Variable& gate, const Variable& value) {
  return elementwise<Swiglu>(gate, value);
}

Variable geglu(const Variable& gate, const Variable& value,
               const GeluOptions& options) {
  return options.tanh ? elementwise<TanhGeglu>(gate, value)
                      : elementwise<Geglu>(gate, value);
}

}  // namespace catena::functions
