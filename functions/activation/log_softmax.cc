#include "catena/functions/activation/log_softmax.h"

#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/internal/softmax_ops.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

class LogSoftmax final : public FunctionNode {
 public:
  explicit LogSoftmax(int64_t axis) : axis_(axis) {}

  std::string_view label() const override { return "log_softmax"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::LogSoftmax>({{"axis", axis_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_output(0);
    axis_ = normalize_axis(axis_, in[0].ndim(), label());
    return {map_rows(LogSoftmaxOp(), static_cast<int>(axis_), {&in[0]})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (!config().enable_backprop) {
      return {
          as_variable(map_rows(LogSoftmaxGradient(), static_cast<int>(axis_),
                               {&retained_output_array(0), &gy[0].data()}))};
    }
    const Variable total = sum(gy[0], {.axis = axis_, .keepdims = true});
    return {gy[0] - exp(retained_output(0)) * total};
  }

 private:
  int64_t axis_;
};

}  // namespace

Variable log_softmax(const Variable& x, const AxisOption& options) {
  return apply<LogSoftmax>({x}, options.axis);
}

}  // namespace catena::functions
