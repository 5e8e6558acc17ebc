#include "catena/functions/math/argmax.h"

#include "catena/array/reduction/reduce.h"
#include "catena/functions/math/internal/reduction_node.h"

namespace catena::functions {

Variable argmax(const Variable& x, const OptionalAxisOption& options) {
  const VariableRef inputs[] = {x};
  TypeCheck in("argmax", inputs);
  check_reduction_types(in, options.axis);
  return as_variable(
      array::argmax(x.data(), {.axis = options.axis, .dtype = Dtype::kInt32}));
}

}  // namespace catena::functions
