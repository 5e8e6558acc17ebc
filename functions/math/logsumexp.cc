#include "catena/functions/math/logsumexp.h"

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/internal/reduced_axis.h"
#include "catena/functions/math/internal/reduction_node.h"
#include "catena/functions/math/internal/row_ops.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

// A single row of this length is worth more than one thread.
constexpr int64_t kLongRow = 1 << 16;

// The logsumexp of a long vector, from those of its parts.
Array of_long_row(const Array& x) {
  constexpr int64_t kPart = 4096;
  const int64_t whole = x.size() / kPart;
  const int64_t rest = x.size() % kPart;
  const int64_t parts = whole + (rest > 0 ? 1 : 0);
  const Dtype dtype = computed_dtype(x.dtype());
  const Array maxima = array::empty({parts}, dtype, x.device());
  const Array sums = array::empty({parts}, dtype, x.device());
  const auto visit = [&](int64_t first, const Array& rows) {
    visit_rows(
        LogSumExpPartOp{maxima[first].raw_data(), sums[first].raw_data()},
        ReducedAxis::kAxis, {&rows});
  };
  const int64_t end = whole * kPart;
  visit(0, x[{Slice(end)}].reshape({whole, kPart}));
  if (rest > 0) visit(whole, x[{Slice(end, {})}].reshape({1, rest}));
  const Array max = array::max(maxima);
  const Array m = array::where(array::isfinite(max), max, 0);
  return m + array::log(array::sum(sums * array::exp(maxima - m)));
}

// x is (before, n, after); reduces n.
Array log_sum_exp(const Array& x, const ReducedAxis& reduced) {
  Array y = array::empty(reduced.kept_shape(), x.dtype(), x.device());
  if (reduced.rows() >= 8 || reduced.length() < kLongRow) {
    visit_rows(LogSumExpOp{y.raw_data()}, ReducedAxis::kAxis, {&x});
    return y;
  }
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    for (int64_t j = 0; j < x.shape()[2]; ++j) {
      const Array row = x[{i, Slice(), j}];
      y[{i, 0, j}].assign(of_long_row(row.contiguous()));
    }
  }
  return y;
}

class LogSumExp final : public FunctionNode {
 public:
  explicit LogSumExp(const AxisSet& axis) : axis_(axis) {}

  std::string_view label() const override { return "logsumexp"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::LogSumExp>({{"axis", axis_}});
  }

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
