#include "catena/functions/normalization/normalize.h"

#include "catena/array/core/error.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/normalization/internal/row_normalization_ops.h"

namespace catena::functions {
namespace {

// Along one axis.
class Normalize final : public FunctionNode {
 public:
  Normalize(double eps, int64_t axis) : eps_(eps), axis_(axis) {}

  std::string_view label() const override { return "normalize"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Normalize>(
        {{"eps", eps_}, {"axis", axis_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    axis_ = normalize_axis(axis_, in[0].ndim(), label());
    return {map_rows(NormalizeOp{eps_}, static_cast<int>(axis_), {&in[0]})};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (!config().enable_backprop) {
      return {
          as_variable(map_rows(NormalizeGradient{eps_}, static_cast<int>(axis_),
                               {&retained_input_array(0), &gy[0].data()}))};
    }
    const Variable x = retained_input(0);
    const SumOptions over{.axis = axis_, .keepdims = true};
    const Variable length = sqrt(sum(square(x), over));
    const Variable norm = length + eps_;
    const Array is_zero = array::equal(length.data(), 0).astype(length.dtype());
    const Variable product = sum(x * gy[0], over);
    return {gy[0] / norm - x * (product / ((length + is_zero) * square(norm)))};
  }

 private:
  double eps_;
  int64_t axis_;
};

}  // namespace

Variable normalize(const Variable& x, const NormalizeOptions& options) {
  constexpr std::string_view kName = "normalize";
  if (!(options.eps >= 0)) {
    raise<ValueError>(kName, ": expected eps of at least 0, got ", options.eps);
  }
  if (!options.axis.is_all() && options.axis.axes()->size() == 1) {
    return apply<Normalize>({x}, options.eps, (*options.axis.axes())[0]);
  }
  const VariableRef inputs[] = {x};
  TypeCheck check(kName, inputs);
  expect_axes(check, check.names<1>({"x"})[0], options.axis);
  // Merges the axes into one, after the others.
  const Axes axes = options.axis.normalized(x.ndim(), kName);
  Axes order;
  int64_t rows = 1;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axes.contains(axis)) continue;
    order.push_back(axis);
    rows *= x.shape()[axis];
  }
  int64_t length = 1;
  for (const int64_t axis : axes) {
    order.push_back(axis);
    length *= x.shape()[static_cast<int>(axis)];
  }
  Axes inverse = order;
  for (int i = 0; i < order.size(); ++i) {
    inverse[static_cast<int>(order[i])] = i;
  }
  const Variable moved = transpose(x, order);
  const Variable y =
      apply<Normalize>({reshape(moved, {rows, length})}, options.eps, 1);
  return transpose(reshape(y, moved.shape()), inverse);
}

}  // namespace catena::functions
