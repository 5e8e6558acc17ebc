#include "catena/functions/activation/softmax.h"

#include "catena/functions/activation/internal/softmax_node.h"
#include "catena/functions/activation/internal/softmax_ops.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

struct Softmax {
  using Forward = SoftmaxOp;
  using Gradient = SoftmaxGradient;
  using Kind = kinds::Softmax;
  static Variable gradient(const Variable& y, const Variable& gy,
                           int64_t axis) {
    const Variable y_gy = y * gy;
    return y_gy - y * sum(y_gy, {.axis = axis, .keepdims = true});
  }
};

}  // namespace

Variable softmax(const Variable& x, const AxisOption& options) {
  return apply<SoftmaxNode<Softmax>>({x}, options.axis);
}

}  // namespace catena::functions
