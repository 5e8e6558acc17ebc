#include "catena/functions/math/argmin.h"

#include "catena/array/reduction/reduce.h"
#include "catena/functions/math/internal/reduction_node.h"

namespace catena::functions {

Variable argmin(const Variable& x, const OptionalAxisOption& options) {
  const VariableRef inputs[] = {x};
  TypeCheck in("argmin", inputs);
  check_reduction_types(in, options.axis);
  return as_variable(
      array::argmin(x.data(), {.axis = options.axis, .dtype = Dtype::kInt32}));
}

}  // namespace catena::functions
