#include "catena/functions/loss/hinge.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/internal/row_loss_ops.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "hinge";
constexpr int kClassAxis = 1;

bool is_squared(std::string_view norm) {
  if (norm == "L1") return false;
  if (norm == "L2") return true;
  raise<NotImplementedError>(kName, ": expected norm \"L1\" or \"L2\", got \"",
                             norm, "\"");
}

class Hinge final : public FunctionNode {
 public:
  explicit Hinge(const HingeOptions& options)
      : is_mean_(is_mean(options.reduce, kName)),
        squared_(is_squared(options.norm)) {}

  std::string_view label() const override { return kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Hinge>(
        {{"norm", squared_ ? "L2" : "L1"},
         {"reduce", is_mean_ ? "mean" : "no"}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, t] = in.names<2>({"x", "t"});
    in.expect_floating(x);
    in.expect_integral(t);
    in.expect(x.ndim() == type_check::Term(2), t.ndim() == type_check::Term(1));
    in.expect(x.shape(0) == t.shape(0));
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    const Array& x = in[0];
    const Array& t = in[1];
    if (x.ndim() != 2 || t.size() != x.shape()[0]) {
      raise<ShapeError>(kName, ": expected a label for each row, got x ",
                        x.shape(), " and t ", t.shape());
    }
    labels_ = CheckedLabels(t, x.shape()[kClassAxis], std::nullopt, kName);
    if (!is_mean_) {
      return {map_rows(HingeElementsOp{args()}, kClassAxis, {&x})};
    }
    scale_ = 1.0 / std::max<double>(x.shape()[0], 1);
    const Array losses =
        array::empty(t.shape(), computed_dtype(x.dtype()), x.device());
    visit_rows(HingeOp{args(), losses.raw_data()}, kClassAxis, {&x});
    const Array mean = array::sum(losses) * scale_;
    return {mean.astype(x.dtype(), Array::CopyPolicy::kIfNeeded)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients(wanted.size());
    if (wanted[0] == 0) {
      gradients[0] = config().enable_backprop ? recorded_gradient(gy[0])
                                              : gradient(gy[0].data());
    }
    return gradients;  // labels get none
  }

 private:
  HingeArgs args() const { return {labels_.rows(), squared_}; }

  Variable gradient(const Array& gy) const {
    const Array& x = retained_input_array(0);
    if (!is_mean_) {
      return as_variable(
          map_rows(HingeElementsGradient{args()}, kClassAxis, {&x, &gy}));
    }
    return as_variable(map_rows(HingeGradient{args(), gy.raw_data(), scale_},
                                kClassAxis, {&x}));
  }

  Variable recorded_gradient(const Variable& gy) const {
    const Variable x = retained_input(0);
    const Array& t = labels_.array();
    const Array numbers =
        array::arange(x.shape()[kClassAxis], t.dtype(), t.device());
    const Array is_label = array::equal(numbers, t.expand_dims(1));
    const Array signs = array::where(is_label, 1.0, -1.0).astype(x.dtype());
    const Variable margin = relu(1 - x * signs);
    const Variable slope =
        squared_
            ? margin * 2
            : as_variable(array::greater(margin.data(), 0).astype(x.dtype()));
    return slope * (gy * -signs) * scale_;
  }

  bool is_mean_;
  bool squared_;
  double scale_ = 1;  // 1 / N for the mean
  CheckedLabels labels_;
};

}  // namespace

Variable hinge(const Variable& x, const Variable& t,
               const HingeOptions& options) {
  return apply<Hinge>({x, t}, options);
}

Variable hinge(const Variable& x, const Array& t, const HingeOptions& options) {
  return hinge(x, as_variable(t), options);
}

}  // namespace catena::functions
