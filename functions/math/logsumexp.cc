#include "catena/functions/math/logsumexp.h"

#include "catena/array/creation.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/internal/reduced_axis.h"
#include "catena/functions/math/internal/reduction_node.h"
#include "catena/functions/math/internal/row_ops.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

// A single row of this length is worth more than one thread.
constexpr int64_t kLongRow = 1 << 16;

// x is (before, n, after); reduces n.
Array log_sum_exp(const Array& x, const ReducedAxis& reduced) {
  if (reduced.rows() < 8 && reduced.length() >= kLongRow) {
    const array::ReduceOptions over{.axis = ReducedAxis::kAxis,
                                    .keepdims = true};
    const Array max = array::max(x, over);
    const Array m = array::where(array::isfinite(max), max, 0);
    return m + array::log(array::sum(array::exp(x - m), over));
  }
  const Array y = array::empty(reduced.kept_shape(), x.dtype(), x.device());
  visit_rows(LogSumExpOp{y.raw_data()}, ReducedAxis::kAxis, {&x});
  return y;
}

class LogSumExp final : public FunctionNode {
 public:
  explicit LogSumExp(const AxisSet& axis) : axis_(axis) {}

  std::string_view label() const override { return "logsumexp"; }

  void check_type_forward(TypeCheck& in) const override {
    check_reduction_types(in, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    retain_output(0);
    const Axes axes = axes_of(in[0].shape());
    const ReducedAxis reduced(in[0].shape(), axes);
    Shape shape;
    for (int i = 0; i < in[0].ndim(); ++i) {
      if (!axes.contains(i)) shape.push_back(in[0].shape()[i]);
    }
    return {log_sum_exp(reduced.fold(in[0]), reduced).reshape(shape)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (!config().enable_backprop) {
      const Array& x = retained_input_array(0);
      const ReducedAxis reduced(x.shape(), axes_of(x.shape()));
      const Array folded = reduced.fold(x);
      const Array y = retained_output_array(0).contiguous();
      const Array gradient = gy[0].data().contiguous();
      return {as_variable(reduced.unfold(
          map_rows(LogSumExpGradient{y.raw_data(), gradient.raw_data()},
                   ReducedAxis::kAxis, {&folded})))};
    }
    const Variable x = retained_input(0);
    const Shape kept = shape_with_kept_axes(x.shape(), axes_of(x.shape()));
    return {exp(x - reshape(retained_output(0), kept)) * reshape(gy[0], kept)};
  }

 private:
  Axes axes_of(const Shape& shape) const {
    return axis_.normalized(shape.ndim(), "logsumexp");
  }

  AxisSet axis_;
};

}  // namespace

Variable logsumexp(const Variable& x, const AxisSetOption& options) {
  return apply<LogSumExp>({x}, options.axis);
}

}  // namespace catena::functions
