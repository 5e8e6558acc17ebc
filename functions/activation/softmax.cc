#include "catena/functions/activation/softmax.h"

#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/internal/softmax_ops.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

class Softmax final : public FunctionNode {
 public:
  explicit Softmax(int64_t axis) : axis_(axis) {}

  std::string_view label() const override { return "softmax"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Softmax>({{"axis", axis_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_output(0);
    axis_ = normalize_axis(axis_, in[0].ndim(), label());
    return {map_rows(SoftmaxOp(), static_cast<int>(axis_), {&in[0]})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (!config().enable_backprop) {
      return {
          as_variable(map_rows(SoftmaxGradient(), static_cast<int>(axis_),
                               {&retained_output_array(0), &gy[0].data()}))};
    }
    const Variable y = retained_output(0);
    const Variable y_gy = y * gy[0];
    return {y_gy - y * sum(y_gy, {.axis = axis_, .keepdims = true})};
  }

 private:
  int64_t axis_;
};

}  // namespace

Variable softmax(const Variable& x, const AxisOption& options) {
  return apply<Softmax>({x}, options.axis);
}

}  // namespace catena::functions
