#include "catena/functions/loss/row_distance.h"

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/elementwise/elementwise_call.h"
#include "catena/functions/elementwise/rule_slot.h"
#include "catena/functions/loss/row_loss_ops.h"
#include "catena/functions/math/difference_ops.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/rows/row_call.h"

namespace catena::functions {
namespace {

class SquaredRowDistance final : public FunctionNode {
 public:
  std::string_view label() const override { return "squared_row_distance"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array& x = in[0];
    const Array sums =
        array::zeros({x.shape()[0]}, computed_dtype(x.dtype()), x.device());
    visit_rows(SquaredRowDistanceOp{sums.raw_data()}, 1, {&in[0], &in[1]});
    return {sums.astype(x.dtype(), Array::CopyPolicy::kIfNeeded)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const bool records = config().enable_backprop;
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(records ? recorded_gradient(i, gy[0])
                                  : gradient(i, gy[0].data()));
    }
    return gradients;
  }

 private:
  // That of the one is that of the other with both exchanged.
  Variable gradient(int i, const Array& gy) const {
    const SquaredDifferenceFirstGradient op;
    const Array rows_gy = gy.expand_dims(1);
    return as_variable(run_rule(
        rule_slot<SquaredDifferenceFirstGradient, 3>(), &op,
        {&retained_input_array(i), &retained_input_array(1 - i), &rows_gy}));
  }

  Variable recorded_gradient(int i, const Variable& gy) const {
    const Variable rows_gy = reshape(gy * 2, {gy.shape()[0], 1});
    return (retained_input(i) - retained_input(1 - i)) * rows_gy;
  }
};

}  // namespace

Variable squared_row_distance(const Variable& x0, const Variable& x1) {
  return apply<SquaredRowDistance>({x0, x1});
}

}  // namespace catena::functions
