#include "catena/functions/loss/softmax_cross_entropy.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/autocast.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/cross_entropy_rows.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "softmax_cross_entropy";
constexpr int kClassAxis = 1;

class SoftmaxCrossEntropy final : public FunctionNode {
 public:
  explicit SoftmaxCrossEntropy(const SoftmaxCrossEntropyOptions& options)
      : is_mean_(is_mean(options.reduce, kName)),
        normalize_(options.normalize),
        ignore_label_(options.ignore_label),
        class_weight_(options.class_weight),
        smoothing_(options.label_smoothing) {}

  std::string_view label() const override { return kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::SoftmaxCrossEntropy>(
        {{"normalize", normalize_},
         {"class_weight", class_weight_},
         {"ignore_label", ignore_label_},
         {"reduce", is_mean_ ? "mean" : "no"},
         {"label_smoothing", smoothing_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, t] = in.names<2>({"x", "t"});
    in.expect_floating(x);
    in.expect_integral(t);
    in.expect(x.ndim() >= type_check::Term(2));
    const int ndim = x.array().ndim();
    in.expect(t.ndim() == type_check::Term(ndim - 1));
    in.expect(x.shape(0) == t.shape(0));
    for (int axis = 2; axis < ndim; ++axis) {
      in.expect(x.shape(axis) == t.shape(axis - 1));
    }
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    const Array& x = in[0];
    const Array& t = in[1];
    check_memory(x, t);
    CheckedLabels labels(t, x.shape()[kClassAxis], ignore_label_, kName);
    DeviceNumber scale;
    if (is_mean_) {
      scale = normalize_
                  ? labels.reciprocal_count()
                  : DeviceNumber(1.0 / std::max<double>(x.shape()[0], 1));
    }
    if (class_weight_.defined()) {
      // A copy: the caller may write to the weights before backward.
      class_weight_ = class_weight_.astype(x.dtype()).contiguous();
    }
    rows_ = CrossEntropyRows(std::move(labels), std::move(scale), class_weight_,
                             smoothing_);
    const Array losses =
        array::empty(t.shape(), computed_dtype(x.dtype()), x.device());
    rows_.compute_losses(x, kClassAxis, /*first=*/0, losses);
    const Array result = is_mean_ ? array::sum(losses) : losses;
    return {result.astype(x.dtype(), Array::CopyPolicy::kIfNeeded)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients(wanted.size());
    if (wanted[0] == 0) {
      gradients[0] = config().enable_backprop
                         ? recorded_gradient(gy[0])
                         : as_variable(gradient(gy[0].data().contiguous()));
    }
    return gradients;  // labels get none
  }

 private:
  // Kernels rely on this even if the type check is off.
  void check_memory(const Array& x, const Array& t) const {
    Shape rows = x.shape();
    if (x.ndim() >= 2) rows.erase(kClassAxis);
    if (x.ndim() < 2 || t.size() != size_of(rows)) {
      raise<ShapeError>(kName, ": expected a label for each row, got x ",
                        x.shape(), " and t ", t.shape());
    }
    if (!class_weight_.defined()) return;
    const Array& w = class_weight_;
    const Shape expected{x.shape()[kClassAxis]};
    if (!is_floating(w.dtype()) || w.shape() != expected ||
        w.device() != x.device()) {
      raise<ValueError>(kName, ": expected class_weight floating, of shape ",
                        expected, " and on ", x.device(), ", got ", w.dtype(),
                        " ", w.shape(), " on ", w.device());
    }
  }

  Array gradient(const Array& gy) const {
    const Array& x = retained_input_array(0);
    Array gx = array::empty_like(x);
    rows_.compute_gradient(x, kClassAxis, /*first=*/0, gy, gx);
    return gx;
  }

  // The gradient composed of functions.
  Variable recorded_gradient(const Variable& gy) const {
    const Variable x = retained_input(0);
    const Array t = rows_.labels().array().expand_dims(kClassAxis);
    Shape classes = Shape::filled(x.ndim(), 1);
    classes[kClassAxis] = x.shape()[kClassAxis];
    const Array numbers =
        array::arange(classes[kClassAxis], t.dtype(), x.device())
            .reshape(classes);
    Array targets = array::equal(numbers, t).astype(x.dtype());
    if (smoothing_ != 0) {
      targets = targets * (1 - smoothing_) +
                smoothing_ / static_cast<double>(numbers.size());
    }
    if (class_weight_.defined()) targets *= class_weight_.reshape(classes);
    const Array totals =
        array::sum(targets, {.axis = kClassAxis, .keepdims = true});
    const Array counts = array::greater_equal(t, 0).astype(x.dtype());
    const Variable row_gy = is_mean_ ? gy : reshape(gy, t.shape());
    return (softmax(x) * totals - targets) *
           (row_gy * rows_.scale().times(counts));
  }

  bool is_mean_;
  bool normalize_;
  int64_t ignore_label_;
  Array class_weight_;
  double smoothing_;
  CrossEntropyRows rows_;
};

// The targets are distributions.
Variable soft_cross_entropy(const Variable& scores, const Array& distributions,
                            const SoftmaxCrossEntropyOptions& options) {
  // Keeps the logarithm of a probability of 0 finite, as in Chainer.
  constexpr double kTiny = 1e-7;
  const bool is_divergence = options.soft_target_loss == "kl-divergence";
  if (!is_divergence && options.soft_target_loss != "cross-entropy") {
    raise<ValueError>(kName,
                      ": expected soft_target_loss \"cross-entropy\" or "
                      "\"kl-divergence\", got \"",
                      options.soft_target_loss, "\"");
  }
  const bool mean = is_mean(options.reduce, kName);
  const Variable x = internal::autocast_input(scores, AutocastRule::kWide);
  Array t = internal::autocast_input(distributions, AutocastRule::kWide).data();
  if (x.shape() != t.shape() || x.dtype() != t.dtype() || x.ndim() < 2) {
    raise<InvalidType>(kName,
                       ": expected distributions t of x's dtype and "
                       "shape (N, C, ...), got x ",
                       x.dtype(), " ", x.shape(), " and t ", t.dtype(), " ",
                       t.shape(),
                       t.ndim() == x.ndim() - 1
                           ? "; labels are integers: t.astype(Dtype::kInt32)"
                           : "");
  }
  if (const double smoothing = options.label_smoothing; smoothing != 0) {
    t = t * (1 - smoothing) +
        smoothing / static_cast<double>(x.shape()[kClassAxis]);
  }
  const Variable log_p = log_softmax(x);
  const Variable terms =
      is_divergence ? (array::log(t + kTiny) - log_p) * t : -(log_p * t);
  Variable losses = sum(terms, {.axis = kClassAxis});
  if (!mean) return losses;
  return sum(losses) / std::max<double>(losses.size(), 1);
}

}  // namespace

Variable softmax_cross_entropy(const Variable& x, const Variable& t,
                               const SoftmaxCrossEntropyOptions& options) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    raise<ValueError>(kName, ": expected label_smoothing from 0 to 1, got ",
                      options.label_smoothing);
  }
  if (is_floating(t.dtype())) return soft_cross_entropy(x, t.data(), options);
  return apply<SoftmaxCrossEntropy>({x, t}, options);
}

Variable softmax_cross_entropy(const Variable& x, const Array& t,
                               const SoftmaxCrossEntropyOptions& options) {
  return softmax_cross_entropy(x, as_variable(t), options);
}

}  // namespace catena::functions
