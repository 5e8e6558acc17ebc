#include "catena/functions/array/concat.h"

#include "catena/functions/array/internal/join.h"

namespace catena::functions {

Variable concat(std::span<const Variable> xs, const ConcatOptions& options) {
  return join("concat", xs, options.axis);
}

Variable concat(std::initializer_list<Variable> xs,
                const ConcatOptions& options) {
  return concat(std::span(xs.begin(), xs.size()), options);
}

}  // namespace catena::functions
