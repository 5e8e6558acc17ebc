#include "catena/functions/loss/internal/logit_losses.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/loss/internal/loss_ops.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {

Variable logit_losses(const Variable& y, const Array& signs) {
  const Array numbers = signs.astype(y.dtype(), Array::CopyPolicy::kIfNeeded);
  return sum(elementwise<LogitLoss>(y, as_variable(numbers)), {.axis = 1});
}

}  // namespace catena::functions
