#pragma once

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/expand_dims.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/elementwise/elementwise_call.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/engines/elementwise/traced.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/row_loss_ops.h"

namespace catena::functions {

// The sum along the second axis of an elementwise rule of two inputs, without
// storing the elementwise result. Both gradients of the rule must read both
// inputs, which have the same shape and dtype, as checked by check_same_shape.
template <class Rule>
class RowSum final : public FunctionNode {
 public:
  using Params = typename ParamsOf<Rule>::type;

  explicit RowSum(const Params& params = {}) : params_(params) {}

  std::string_view label() const override { return Rule::kLabel; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::SumOf<Rule>>(options_of(params_));
  }

  void check_type_forward(TypeCheck& in) const override {
    in.set_names(names_of_inputs<Rule, 2>());
    expect_axis(in, in[0], kAxis);
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array& x = in[0];
    Shape shape = x.shape();
    shape.erase(normalize_axis(kAxis, x.ndim(), label()));
    const Array sums =
        array::zeros(shape, computed_dtype(x.dtype()), x.device());
    const auto op = make_op<typename Rule::Forward>(params_);
    visit_rows(RowSumOp<Rule>{op, sums.raw_data()}, kAxis, {&x, &in[1]});
    return {sums.astype(x.dtype(), Array::CopyPolicy::kIfNeeded)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(gradient(i, gy[0], typename Rule::Gradients()));
    }
    return gradients;
  }

 private:
  static constexpr int kAxis = 1;

  template <class First, class Second>
  Variable gradient(int i, const Variable& gy,
                    TypeList<On<First, X0, X1>, On<Second, X0, X1>>) const {
    return i == 0 ? gradient_by<First>(gy) : gradient_by<Second>(gy);
  }

  template <class Op>
  Variable gradient_by(const Variable& gy) const {
    const Op op = make_op<Op>(params_);
    if (config().enable_backprop) {
      return op(Traced(retained_input(0)), Traced(retained_input(1)),
                Traced(expand_dims(gy, kAxis)))
          .variable();
    }
    const Array row_gy = gy.data().expand_dims(kAxis);
    return as_variable(run_rule(
        rule_slot<Op, 3>(), &op,
        {&retained_input_array(0), &retained_input_array(1), &row_gy}));
  }

  [[no_unique_address]] Params params_;
};

}  // namespace catena::functions
