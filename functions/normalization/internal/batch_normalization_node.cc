#include "catena/functions/normalization/internal/batch_normalization_node.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/where.h"
#include "catena/functions/axes.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/normalization/internal/batch_normalization_cudnn.h"
#include "catena/functions/normalization/internal/centered.h"

namespace catena::functions {
namespace {

// Converts a per-channel gradient to the parameter's shape and dtype.
Variable as_gradient(const Array& sums, const VariableNode& parameter) {
  return as_variable(
      sums.reshape(parameter.shape())
          .astype(parameter.dtype(), Array::CopyPolicy::kIfNeeded));
}

// The parts of normalization gradients, as variables. `axes` are those of the
// statistics; deviations are x's from the mean, to which inv_std broadcasts.
struct RecordedGradients {
  RecordedGradients(const Variable& gy, const Variable& deviation,
                    const Variable& inv_std, const Axes& axes)
      : x_hat(deviation * inv_std),
        gbeta(sum(gy, {.axis = axes, .keepdims = true})),
        ggamma(sum(gy * x_hat, {.axis = axes, .keepdims = true})) {}

  Variable x_hat;
  Variable gbeta;
  Variable ggamma;
};

Variable with_kept_axes(const Variable& parameter, const Shape& shape,
                        const Axes& axes) {
  return reshape(parameter, shape_with_kept_axes(shape, axes));
}

constexpr std::string_view kNames[] = {"x", "gamma", "beta", "residual"};
constexpr int kParameters = 3;  // x, gamma and beta
constexpr std::string_view kFixedNames[] = {"x", "gamma", "beta", "mean",
                                            "var"};

}  // namespace

void check_channel_types(TypeCheck& in, std::span<const std::string_view> names,
                         const AxisSet& axis, std::string_view label,
                         bool has_residual) {
  in.set_names(names);
  const type_check::Input x = in[0];
  in.expect_floating(x);
  const int ndim = x.array().ndim();
  if (axis.is_all()) in.expect(x.ndim() >= type_check::Term(2));
  expect_axes(in, x, axis);
  const Axes keys =
      key_axes(x.array().shape(), channel_axes(axis, ndim, label));
  in.expect_floating(in[1]);
  const int parameters =
      static_cast<int>(names.size()) - (has_residual ? 1 : 0);
  for (int i = 1; i < parameters; ++i) {
    if (i > 1) in.expect(in[i].dtype() == in[1].dtype());
    in.expect(in[i].ndim() == type_check::Term(keys.size()));
    for (int k = 0; k < keys.size(); ++k) {
      in.expect(in[i].shape(k) == x.shape(static_cast<int>(keys[k])));
    }
  }
  if (!has_residual) return;
  const type_check::Input residual = in[parameters];
  in.expect(residual.dtype() == x.dtype(), residual.shape() == x.shape());
}

void check_eps(double eps, std::string_view function) {
  if (eps >= 0) return;
  raise<ValueError>(function, ": expected eps of at least 0, got ", eps);
}

void check_batch_options(double eps, const RunningStatistics& running,
                         const Variable& gamma, std::string_view function) {
  check_eps(eps, function);
  const auto check = [&](const Array& average, std::string_view name) {
    if (!average.defined()) return;
    if (average.shape() != gamma.shape() || !is_floating(average.dtype()) ||
        average.device() != gamma.device()) {
      raise<ValueError>(function, ": expected ", name, " like gamma ",
                        gamma.shape(), " on ", gamma.device(), ", got ",
                        average.dtype(), " ", average.shape(), " on ",
                        average.device());
    }
  };
  check(running.mean, "running_mean");
  check(running.var, "running_var");
}

BatchNormalization::BatchNormalization(const AxisSet& axis, double eps,
                                       const RunningStatistics* update,
                                       bool relu,
                                       std::optional<ChannelMoments> moments)
    : axis_(axis),
      eps_(eps),
      relu_(relu),
      update_(update),
      moments_(std::move(moments)) {
  if (update_ == nullptr) return;
  if (!update_->mean.defined() && !update_->var.defined()) update_ = nullptr;
}

void BatchNormalization::check_type_forward(TypeCheck& in) const {
  const auto count = std::min(in.inputs().size(), std::size(kNames));
  check_channel_types(in, std::span(kNames).first(count), axis_, label(),
                      /*has_residual=*/count > kParameters);
}

Arrays BatchNormalization::forward(const Arrays& in) {
  retain_inputs({0, 1});
  if (relu_) retain_output(0);
  axes_ = channel_axes(axis_, in[0].ndim(), label());
  layout_ = ChannelLayout(in[0], axes_);
  const Array x = layout_.pack(in[0]);
  const Array residual =
      in.size() > kParameters ? layout_.pack(in[3]) : Array();
  Array y;
  // cuDNN takes no residual and no relu.
  if (should_use_cudnn(Usage::kAlways) && !moments_ && !relu_ &&
      !residual.defined()) {
    y = normalize_by_cudnn(x, in[1], in[2]);
  }
  if (!y.defined()) {
    const ChannelNormalization to = normalization_of(x, in[1], in[2]);
    mean_ = to.mean;
    inv_std_ = to.inv_std;
    y = channel_affine(x,
                       {.x_factor = to.x_factor,
                        .center = {to.mean.rounded},
                        .offset = to.offset,
                        .other = residual,
                        .relu = relu_},
                       layout_);
  }
  moments_.reset();
  update_ = nullptr;
  return {layout_.unpack(y)};
}

ChannelNormalization BatchNormalization::normalization_of(
    const Array& x, const Array& gamma, const Array& beta) const {
  if (!moments_) {
    return normalize_channels(x, gamma, beta, eps_, update_, layout_);
  }
  if (update_ != nullptr) {
    update_running_statistics(*update_, *moments_, layout_.count());
  }
  return normalization_by(*moments_, gamma, beta, eps_);
}

// Returns undefined, without effect, when cuDNN declines.
Array BatchNormalization::normalize_by_cudnn(const Array& x,
                                             const Array& gamma_parameter,
                                             const Array& beta_parameter) {
  const Dtype dtype = computed_dtype(x.dtype());
  const Array gamma = as_coefficients(gamma_parameter, dtype);
  const Array beta = as_coefficients(beta_parameter, dtype);
  const auto fits = [&](const Array& average) {
    return average.defined() && average.is_contiguous() &&
           average.dtype() == gamma.dtype();
  };
  const bool updates =
      update_ != nullptr && fits(update_->mean) && fits(update_->var);
  CudnnBatchAverages averages;
  if (updates) {
    averages = {update_->mean, update_->var, 1 - update_->decay};
  } else if (update_ != nullptr) {
    // Averages of this batch alone.
    averages = {array::zeros_like(gamma), array::zeros_like(gamma), 1};
  }
  const auto result = batch_normalization_cudnn(x.device(), x, gamma, beta,
                                                eps_, layout_, averages);
  if (!result) return {};
  if (update_ != nullptr && !updates) {
    const auto m = static_cast<double>(layout_.count());
    update_running_statistics(*update_,
                              {{averages.mean}, averages.var * ((m - 1) / m)},
                              layout_.count());
  }
  mean_ = {result->mean};
  inv_std_ = result->inverse_std;
  return result->y;
}

Variables BatchNormalization::backward(const Indexes& wanted,
                                       const Variables& gys) {
  if (config().enable_backprop) return recorded_gradients(gys[0]);
  const Array x = layout_.pack(retained_input_array(0));
  const Array gy = layout_.pack(gys[0].data());
  const Array& gamma = retained_input_array(1);
  const bool wants_gx = wanted[0] == 0;
  if (wants_gx && !relu_ && inputs().size() == kParameters &&
      should_use_cudnn(Usage::kAlways)) {
    if (const auto by_cudnn = batch_gradients_cudnn(
            x.device(), gy, x, as_coefficients(gamma, inv_std_.dtype()),
            mean_.rounded, inv_std_, eps_, layout_)) {
      return chosen(wanted, {by_cudnn->ggamma, by_cudnn->gbeta, by_cudnn->gx});
    }
  }
  return chosen(
      wanted,
      channel_gradients(
          {.gy = gy,
           .x = x,
           .mask = relu_ ? layout_.pack(retained_output_array(0)) : Array(),
           .gamma = gamma,
           .mean = mean_,
           .inv_std = inv_std_,
           .wants_gx = wants_gx,
           .wants_masked = wanted.back() == kParameters},
          layout_));
}

// The gradients of the inputs at `wanted`.
Variables BatchNormalization::chosen(const Indexes& wanted,
                                     const ChannelGradients& from) const {
  Variables gradients;
  for (const int i : wanted) {
    gradients.push_back(i == 0   ? as_variable(layout_.unpack(from.gx))
                        : i == 1 ? as_gradient(from.ggamma, *inputs()[1])
                        : i == 2 ? as_gradient(from.gbeta, *inputs()[2])
                                 : as_variable(layout_.unpack(from.masked)));
  }
  return gradients;
}

Variables BatchNormalization::recorded_gradients(const Variable& gy_of_y) {
  // Only the sign of y matters, so it need not be differentiated.
  const Variable grad =
      relu_ ? where(array::greater(retained_output_array(0), 0), gy_of_y, 0)
            : gy_of_y;
  // In the parameters' dtype, which may be the wider one.
  const Dtype dtype = inputs()[1]->dtype();
  const Variable x = cast(retained_input(0), dtype);
  const Variable gy = cast(grad, dtype);
  const Variable gamma = with_kept_axes(retained_input(1), x.shape(), axes_);
  const Variable deviation = centered(x, mean_.rounded, axes_);
  const Variable var =
      average(square(deviation), {.axis = axes_, .keepdims = true});
  const Variable inv_std = 1.0 / sqrt(var + eps_);
  const RecordedGradients parts(gy, deviation, inv_std, axes_);
  const auto m = static_cast<double>(layout_.count());
  const Variable gx =
      gamma * inv_std * (gy - (parts.x_hat * parts.ggamma + parts.gbeta) / m);
  const Shape& shape = inputs()[1]->shape();
  Variables gradients = {cast(gx, grad.dtype()), reshape(parts.ggamma, shape),
                         reshape(parts.gbeta, shape)};
  if (inputs().size() > kParameters) gradients.push_back(grad);
  return gradients;
}

void FixedBatchNormalization::check_type_forward(TypeCheck& in) const {
  check_channel_types(in, kFixedNames, axis_, label());
}

Arrays FixedBatchNormalization::forward(const Arrays& in) {
  retain_inputs({0, 1, 2, 3, 4});  // beta for exporters of the graph
  axes_ = channel_axes(axis_, in[0].ndim(), label());
  layout_ = ChannelLayout(in[0], axes_);
  const Dtype dtype = computed_dtype(in[0].dtype());
  const ChannelNormalization to = normalization_by(
      {round_coefficients(in[3], dtype), as_coefficients(in[4], dtype)}, in[1],
      in[2], eps_);
  mean_ = to.mean;
  inv_std_ = to.inv_std;
  return {layout_.unpack(channel_affine(layout_.pack(in[0]),
                                        {.x_factor = to.x_factor,
                                         .center = {to.mean.rounded},
                                         .offset = to.offset},
                                        layout_))};
}

Variables FixedBatchNormalization::backward(const Indexes& wanted,
                                            const Variables& gys) {
  if (config().enable_backprop) return recorded_gradients(gys[0]);
  const Array gy = layout_.pack(gys[0].data());
  const Array a =
      as_coefficients(retained_input_array(1), inv_std_.dtype()) * inv_std_;
  Variables gradients(wanted.size());
  if (wanted[0] == 0) {
    const Array zeros = array::zeros_like(a);
    gradients[0] = as_variable(layout_.unpack(channel_affine(
        gy, {.x_factor = a, .center = {zeros}, .offset = zeros}, layout_)));
    if (wanted.size() == 1) return gradients;
  }
  const ChannelSums sums =
      channel_sums(gy, layout_.pack(retained_input_array(0)), mean_, layout_);
  const Array ggamma = sums.product * inv_std_;
  for (size_t k = 0; k < wanted.size(); ++k) {
    const int i = wanted[k];
    if (i == 0) continue;
    gradients[k] = as_gradient(i == 1   ? ggamma
                               : i == 2 ? sums.gy
                               : i == 3 ? -(a * sums.gy)
                                        : a * inv_std_ * ggamma * -0.5,
                               *inputs()[i]);
  }
  return gradients;
}

Variables FixedBatchNormalization::recorded_gradients(const Variable& grad) {
  const Dtype dtype = inputs()[1]->dtype();
  const Variable x = cast(retained_input(0), dtype);
  const Variable gy = cast(grad, dtype);
  const auto kept = [&](int i) {
    return with_kept_axes(retained_input(i), x.shape(), axes_);
  };
  const Variable inv_std = 1.0 / sqrt(kept(4) + eps_);
  const Variable a = kept(1) * inv_std;
  const RecordedGradients parts(gy, x - kept(3), inv_std, axes_);
  const Shape& shape = inputs()[1]->shape();
  return {cast(a * gy, grad.dtype()), reshape(parts.ggamma, shape),
          reshape(parts.gbeta, shape), reshape(-(a * parts.gbeta), shape),
          reshape(a * inv_std * parts.ggamma * -0.5, shape)};
}

}  // namespace catena::functions
