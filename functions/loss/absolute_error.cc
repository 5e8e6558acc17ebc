#include "catena/functions/loss/absolute_error.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/loss/internal/loss_ops.h"
#include "catena/functions/loss/internal/same_shape.h"
#include "catena/functions/math/average.h"

namespace catena::functions {
namespace {

constexpr std::string_view kNames[] = {"x0", "x1"};

}  // namespace

Variable absolute_error(const Variable& x0, const Variable& x1) {
  check_same_shape("absolute_error", {x0, x1}, kNames);
  return elementwise<AbsoluteError>(x0, x1);
}

Variable mean_absolute_error(const Variable& x0, const Variable& x1) {
  check_same_shape("mean_absolute_error", {x0, x1}, kNames);
  return average(elementwise<AbsoluteError>(x0, x1));
}

}  // namespace catena::functions
