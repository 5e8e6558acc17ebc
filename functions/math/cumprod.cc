#include "catena/functions/math/cumprod.h"

#include "absl/container/inlined_vector.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/manipulation/flip.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/flatten.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/axes.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

// x[begin:end] along an axis.
Variable part(const Variable& x, int axis, std::optional<int64_t> begin,
              std::optional<int64_t> end) {
  absl::InlinedVector<Index, 4> indexes(axis, Slice());
  indexes.push_back(Slice(begin, end));
  return get_item(x, indexes);
}

// s_i = b_i + x_(i+1) s_(i+1) along an axis, from the last to the first, in a
// logarithmic number of steps: after each, sums[i] covers twice as many
// elements from i on, and factors[i] is the product of x that multiplies the
// rest.
Variable sum_with_later_factors(const Variable& x, const Variable& b,
                                int axis) {
  Variable sums = b;
  Variable factors = part(x, axis, 1, std::nullopt);
  const int64_t extent = x.shape()[axis];
  for (int64_t step = 1; step < extent; step *= 2) {
    const Variable heads = part(sums, axis, std::nullopt, extent - step);
    const Variable gained = part(factors, axis, std::nullopt, extent - step) *
                            part(sums, axis, step, std::nullopt);
    sums =
        concat({heads + gained, part(sums, axis, extent - step, std::nullopt)},
               {.axis = axis});
    if (2 * step < extent) {
      factors = part(factors, axis, std::nullopt, -step) *
                part(factors, axis, step, std::nullopt);
    }
  }
  return sums;
}

class Cumprod final : public FunctionNode {
 public:
  explicit Cumprod(int64_t axis) : axis_(axis) {}

  std::string_view label() const override { return "cumprod"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Cumprod>({{"axis", axis_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    retain_output(0);
    return {array::cumprod(in[0], axis_)};
  }

  // y_j contains x_i for j >= i: the gradient is the sum of gy_j y_j / x_i over
  // them. Where the division is unsafe or must be differentiable, it is
  // computed as the product of the elements before i, times the sum over j of
  // gy_j times the elements in between.
  Variables backward(const Indexes&, const Variables& gy) override {
    if (!config().enable_backprop) {
      const Array& x = retained_input_array(0);
      const Array& y = retained_output_array(0);
      if (array::all(array::logical_and(y, array::isfinite(y))).item<bool>()) {
        const Array terms = array::flip(gy[0].data() * y, axis_);
        const Array sums = array::cumsum(terms, axis_);
        return {as_variable(array::flip(sums, axis_) / x)};
      }
    }
    const Variable x = retained_input(0);
    const int axis = normalize_axis(axis_, x.ndim(), label());
    return {exclusive_cumprod(x, axis) *
            sum_with_later_factors(x, gy[0], axis)};
  }

 private:
  int64_t axis_;
};

}  // namespace

Variable cumprod(const Variable& x, const OptionalAxisOption& options) {
  if (!options.axis.has_value()) return apply<Cumprod>({flatten(x)}, 0);
  return apply<Cumprod>({x}, *options.axis);
}

Variable exclusive_cumprod(const Variable& x, Axis axis) {
  const int a = normalize_axis(axis, x.ndim(), "exclusive_cumprod");
  if (x.shape()[a] == 0) return x;
  Shape first = x.shape();
  first[a] = 1;
  const Variable ones = as_variable(array::ones(first, x.dtype(), x.device()));
  return concat({ones, cumprod(part(x, a, std::nullopt, -1), a)}, {.axis = a});
}

}  // namespace catena::functions
