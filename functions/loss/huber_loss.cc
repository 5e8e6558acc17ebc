#include "catena/functions/loss/huber_loss.h"

#include "catena/array/core/error.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/loss/internal/loss_ops.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/internal/row_sum.h"
#include "catena/functions/loss/internal/same_shape.h"

namespace catena::functions {

Variable huber_loss(const Variable& x, const Variable& t, double delta,
                    const HuberLossOptions& options) {
  const bool sums =
      reduces(options.reduce, "sum_along_second_axis", "huber_loss");
  if (!(delta >= 0)) {
    raise<ValueError>("huber_loss: expected delta of at least 0, got ", delta);
  }
  constexpr std::string_view kNames[] = {"x", "t"};
  check_same_shape("huber_loss", {x, t}, kNames);
  const HuberLossParams params{delta};
  return sums ? apply<RowSum<HuberLoss>>({x, t}, params)
              : elementwise<HuberLoss>(params, x, t);
}

}  // namespace catena::functions
