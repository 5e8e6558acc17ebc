#include "catena/functions/math/argmax.h"

#include "catena/array/reduce.h"
#include "catena/functions/math/internal/reduction_node.h"

namespace catena::functions {

Variable argmax(const Variable& x, std::optional<int64_t> axis) {
  const VariableRef inputs[] = {x};
  TypeCheck in("argmax", inputs);
  check_reduction_types(in, axis.has_value() ? AxisSet(*axis) : AxisSet());
  return as_variable(array::argmax(x.data(), axis).astype(Dtype::kInt32));
}

}  // namespace catena::functions
