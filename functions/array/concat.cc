#include "catena/functions/array/concat.h"

#include "catena/functions/array/internal/join.h"

namespace catena::functions {

Variable concat(std::span<const Variable> xs, const AxisOption& options) {
  return join("concat", xs, options.axis);
}

Variable concat(std::initializer_list<Variable> xs, const AxisOption& options) {
  return concat(std::span(xs.begin(), xs.size()), options);
}

}  // namespace catena::functions
