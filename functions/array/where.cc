#include "catena/functions/array/where.h"

#include "catena/autograd/function_node.h"
#include "catena/functions/internal/where_node.h"

namespace catena::functions {

Variable where(const Array& condition, const Variable& x, const Variable& y) {
  return apply<Where>({x, y}, condition, Where::Values::kBoth);
}
Variable where(const Array& condition, const Variable& x, Scalar y) {
  return apply<Where>({x}, condition, Where::Values::kFirst, y);
}
Variable where(const Array& condition, Scalar x, const Variable& y) {
  return apply<Where>({y}, condition, Where::Values::kSecond, x);
}

}  // namespace catena::functions
