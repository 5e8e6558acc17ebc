#include "catena/functions/activation/crelu.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/internal/piecewise_ops.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/elementwise/elementwise_call.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/elementwise/traced.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class CRelu final : public FunctionNode {
 public:
  explicit CRelu(int64_t axis) : axis_(axis) {}

  std::string_view label() const override { return "crelu"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::CRelu>({{"axis", axis_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_output(0);
    const Array& x = in[0];
    axis_ = normalize_axis(axis_, x.ndim(), label());
    Shape shape = x.shape();
    shape[axis_] *= 2;
    Array y = array::empty(shape, x.dtype(), x.device());
    array::relu(x, {.out = half(y, 0)});
    const NegatedReluOp op;
    const Array second = half(y, 1);
    const array::KernelOperand operands[] = {x, second};
    array::run_elementwise(rule_slot<NegatedReluOp, 1>(), x.dtype(), operands,
                           &op);
    return {std::move(y)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Array& y = retained_output_array(0);
    const Array y0 = half(y, 0);
    const Array y1 = half(y, 1);
    const CReluGradient op;
    if (!config().enable_backprop) {
      const Array gy0 = half(gy[0].data(), 0);
      const Array gy1 = half(gy[0].data(), 1);
      return {as_variable(run_rule(rule_slot<CReluGradient, 4>(), &op,
                                   {&y0, &y1, &gy0, &gy1}))};
    }
    // Only y's sign matters, so it need not be differentiated.
    return {op(Traced(as_variable(y0)), Traced(as_variable(y1)),
               Traced(get_item(gy[0], part(y, 0))),
               Traced(get_item(gy[0], part(y, 1))))
                .variable()};
  }

 private:
  using Part = absl::InlinedVector<Index, 4>;

  // The indexes of the first or second half along the axis.
  Part part(const Array& y, int64_t which) const {
    const int64_t extent = y.shape()[axis_] / 2;
    Part indexes(axis_, Slice());
    indexes.push_back(Slice(which * extent, (which + 1) * extent));
    return indexes;
  }
  Array half(const Array& y, int64_t which) const {
    return array::basic_index(y, part(y, which));
  }

  int64_t axis_;
};

}  // namespace

Variable crelu(const Variable& x, const AxisOption& options) {
  return apply<CRelu>({x}, options.axis);
}

}  // namespace catena::functions
