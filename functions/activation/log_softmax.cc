#include "catena/functions/activation/log_softmax.h"

#include "catena/functions/activation/internal/softmax_node.h"
#include "catena/functions/activation/internal/softmax_ops.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

struct LogSoftmax {
  using Forward = LogSoftmaxOp;
  using Gradient = LogSoftmaxGradient;
  using Kind = kinds::LogSoftmax;
  static Variable gradient(const Variable& y, const Variable& gy,
                           int64_t axis) {
    return gy - exp(y) * sum(gy, {.axis = axis, .keepdims = true});
  }
};

}  // namespace

Variable log_softmax(const Variable& x, const AxisOption& options) {
  return apply<SoftmaxNode<LogSoftmax>>({x}, options.axis);
}

}  // namespace catena::functions
