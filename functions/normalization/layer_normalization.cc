#include "catena/functions/normalization/layer_normalization.h"

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
#include "catena/functions/normalization/internal/centered.h"
#include "catena/functions/normalization/internal/row_normalization_ops.h"

namespace catena::functions {
namespace {

class LayerNormalization final : public FunctionNode {
 public:
  explicit LayerNormalization(double eps) : eps_(eps) {}

  std::string_view label() const override { return "layer_normalization"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::LayerNormalization>({{"eps", eps_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, gamma, beta] = in.names<3>({"x", "gamma", "beta"});
    in.expect_floating(x);
    in.expect(x.ndim() == type_check::Term(2));
    for (const auto parameter : {gamma, beta}) {
      in.expect(parameter.dtype() == x.dtype(),
                parameter.ndim() == type_check::Term(1));
      in.expect(parameter.shape(0) == x.shape(1));
    }
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    if (is_differentiated(0) || is_differentiated(1) || is_differentiated(2)) {
      const Array& x = in[0];
      for (Array* of_rows : {&means_, &inv_stds_, &offsets_}) {
        *of_rows =
            array::empty({x.shape()[0]}, computed_dtype(x.dtype()), x.device());
      }
    }
    return {map_rows(LayerNormalizationOp{eps_, moments()}, 1,
                     {&in[0], &in[1], &in[2]})};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    if (config().enable_backprop) return recorded_gradients(gys[0]);
    const Array x = retained_input_array(0).contiguous();
    const Array gy = gys[0].data().contiguous();
    const Array& gamma = retained_input_array(1);
    if (wanted.back() == 0) {
      return {as_variable(map_rows(LayerNormalizationGradientOfX{{{moments()}}},
                                   1, {&x, &gy, &gamma}))};
    }
    const Array in_chunks = memory_for_column_sums(x);
    const Array gx = map_rows(
        LayerNormalizationGradients{{{moments()}, column_sums_in(in_chunks)}},
        1, {&x, &gy, &gamma});
    const Array sums = array::sum(in_chunks, {.axis = 0})
                           .astype(x.dtype(), Array::CopyPolicy::kIfNeeded);
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(as_variable(i == 0 ? gx : sums[i - 1]));
    }
    return gradients;
  }

 private:
  Variables recorded_gradients(const Variable& gy) {
    const Variable x = retained_input(0);
    const AverageOptions over{.axis = 1, .keepdims = true};
    const Variable d = centered(x, means_, {1});
    const Variable inv_std = 1.0 / sqrt(average(square(d), over) + eps_);
    const Variable x_hat = d * inv_std;
    const Variable g = gy * retained_input(1);
    return {(g - average(g, over) - x_hat * average(g * x_hat, over)) * inv_std,
            sum(gy * x_hat, {.axis = 0}), sum(gy, {.axis = 0})};
  }

  StoredMoments moments() const {
    if (!means_.defined()) return {};
    return {means_.raw_data(), inv_stds_.raw_data(), offsets_.raw_data()};
  }

  double eps_;
  // Each row's, kept for backward; undefined if there will be none.
  Array means_;
  Array inv_stds_;
  Array offsets_;
};

}  // namespace

Variable layer_normalization(const Variable& x, const Variable& gamma,
                             const Variable& beta,
                             const LayerNormalizationOptions& options) {
  if (!(options.eps >= 0)) {
    raise<ValueError>("layer_normalization: expected eps of at least 0, got ",
                      options.eps);
  }
  const Variable rows =
      batch_rows("layer_normalization", x, options.n_batch_axes);
  return reshape(apply<LayerNormalization>({rows, gamma, beta}, options.eps),
                 x.shape());
}

}  // namespace catena::functions
