#include "catena/functions/array/where.h"

#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/internal/where_node.h"

namespace catena::functions {
namespace {

// What the backward pass needs: the caller may write to the condition before.
Array kept(const Array& condition) {
  return config().enable_backprop ? condition.copy() : condition;
}

}  // namespace

Variable where(const Array& condition, const Variable& x, const Variable& y) {
  return apply<Where>({x, y}, kept(condition), Where::Values::kBoth);
}
Variable where(const Array& condition, const Variable& x, Scalar y) {
  return apply<Where>({x}, kept(condition), Where::Values::kFirst, y);
}
Variable where(const Array& condition, Scalar x, const Variable& y) {
  return apply<Where>({y}, kept(condition), Where::Values::kSecond, x);
}

}  // namespace catena::functions
