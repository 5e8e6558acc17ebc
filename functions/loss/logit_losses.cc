#include "catena/functions/loss/logit_losses.h"

#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/loss/loss_ops.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {

Variable logit_losses(const Variable& y, const Array& signs) {
  const Array numbers = signs.astype(y.dtype(), Array::CopyPolicy::kIfNeeded);
  return sum(elementwise<LogitLoss>(y, as_variable(numbers)), {.axis = 1});
}

}  // namespace catena::functions
