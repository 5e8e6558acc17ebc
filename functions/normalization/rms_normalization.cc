#include "catena/functions/normalization/rms_normalization.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/internal/batch_rows.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/normalization/internal/row_normalization_ops.h"

namespace catena::functions {
namespace {

class RmsNormalization final : public FunctionNode {
 public:
  explicit RmsNormalization(double eps) : eps_(eps) {}

  std::string_view label() const override { return "rms_normalization"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::RmsNormalization>({{"eps", eps_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, gamma] = in.names<2>({"x", "gamma"});
    in.expect_floating(x);
    in.expect(x.ndim() == type_check::Term(2), gamma.dtype() == x.dtype(),
              gamma.ndim() == type_check::Term(1));
    in.expect(gamma.shape(0) == x.shape(1));
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array& x = in[0];
    if (is_differentiated(0) || is_differentiated(1)) {
      factors_ =
          array::empty({x.shape()[0]}, computed_dtype(x.dtype()), x.device());
    }
    void* const factors = factors_.defined() ? factors_.raw_data() : nullptr;
    return {map_rows(RmsNormalizationOp{eps_, factors}, 1, {&in[0], &in[1]})};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    if (config().enable_backprop) return recorded_gradients(gys[0]);
    const Array x = retained_input_array(0).contiguous();
    const Array gy = gys[0].data().contiguous();
    const Array& gamma = retained_input_array(1);
    const RmsNormalizationGradient gradient{factors_.raw_data()};
    if (wanted.back() == 0) {
      return {as_variable(map_rows(RmsNormalizationGradientOfX{{gradient}}, 1,
                                   {&x, &gy, &gamma}))};
    }
    const Array in_chunks = memory_for_column_sums(x);
    const Array gx = map_rows(
        RmsNormalizationGradients{{gradient, column_sums_in(in_chunks)}}, 1,
        {&x, &gy, &gamma});
    const Array g_gamma = array::sum(in_chunks, {.axis = 0})[0].astype(
        x.dtype(), Array::CopyPolicy::kIfNeeded);
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(as_variable(i == 0 ? gx : g_gamma));
    }
    return gradients;
  }

 private:
  Variables recorded_gradients(const Variable& gy) const {
    const Variable x = retained_input(0);
    const AverageOptions over{.axis = 1, .keepdims = true};
    const Variable factor = 1.0 / sqrt(average(square(x), over) + eps_);
    const Variable x_hat = x * factor;
    const Variable g = gy * retained_input(1);
    return {(g - x_hat * average(g * x_hat, over)) * factor,
            sum(gy * x_hat, {.axis = 0})};
  }

  double eps_;
  Array factors_;  // each row's, kept for backward; undefined if there is none
};

}  // namespace

Variable rms_normalization(const Variable& x, const Variable& gamma,
                           const RmsNormalizationOptions& options) {
  if (!(options.eps >= 0)) {
    raise<ValueError>("rms_normalization: expected eps of at least 0, got ",
                      options.eps);
  }
  const Variable rows =
      batch_rows("rms_normalization", x, options.n_batch_axes);
  return reshape(apply<RmsNormalization>({rows, gamma}, options.eps),
                 x.shape());
}

}  // namespace catena::functions
