#include "catena/functions/normalization/internal/channel_call.h"

#include <algorithm>
#include <limits>

#include "catena/array/aliasing.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/image_order.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/engines/elementwise/elementwise_call.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/engines/rules/activation_ops.h"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/running_statistics_ops.h"

namespace catena::functions {
namespace {

int64_t extent_of(const Shape& shape, int begin, int end) {
  int64_t extent = 1;
  for (int axis = begin; axis < end; ++axis) extent *= shape[axis];
  return extent;
}

ChannelArgs args_of(const Array& x, const ChannelLayout& layout) {
  ChannelArgs args = {};
  args.device = x.device();
  args.outer = layout.outer();
  args.channels = layout.channels();
  args.inner = layout.inner();
  args.x = x.raw_data();
  args.low = -std::numeric_limits<double>::infinity();
  return args;
}

// One number per channel.
Array new_numbers(const Array& x, const ChannelLayout& layout) {
  return array::empty({layout.channels()}, computed_dtype(x.dtype()),
                      x.device());
}
ChannelNumbers numbers_of(const Array& numbers) {
  if (!numbers.defined()) return {};
  return {numbers.raw_data(), numbers.dtype()};
}

const void* data_of(const Array& a) {
  return a.defined() ? a.raw_data() : nullptr;
}

// How running statistics change with a batch of `count` elements per channel.
RunningStatisticsOp update_of(const RunningStatistics& running, int64_t count) {
  const auto m = static_cast<double>(count);
  const double rate = 1 - running.decay;
  return {running.decay, rate, rate * (m / std::max(m - 1, 1.0))};
}

// Both averages in one kernel.
void update_together(const RunningStatistics& running,
                     const ChannelMoments& moments,
                     const RunningStatisticsOp& op) {
  const Shape& shape = running.mean.shape();
  const Array mean = moments.mean.rounded.reshape(shape);
  const Array var = moments.var.reshape(shape);
  const array::KernelOperand operands[] = {mean, var, running.mean,
                                           running.var};
  array::run_elementwise(
      kernel_slot<RunningStatisticsFamily, RunningStatisticsOp>, mean.dtype(),
      operands, &op);
}

// What an offset from a center is from the rounded one.
Array from_rounded(const RoundedNumbers& center, const Array& x_factor,
                   const Array& offset) {
  if (!center.rest.defined()) return offset;
  return offset - x_factor * center.rest;
}

template <class Op>
ChannelFamily::Kernel* kernel_of(const Array& x) {
  return kernel_slot<ChannelFamily, Op>.on(x.device())[x.dtype()];
}

}  // namespace

ChannelLayout::ChannelLayout(const Array& x, const Axes& axes) {
  const Shape& shape = x.shape();
  const Axes keys = key_axes(shape, axes);
  keeps_order_ = keys == Axes{1} && array::keeps_channels_last(x);
  const int first = keys.empty() ? shape.ndim() : static_cast<int>(keys[0]);
  const int end = first + keys.size();
  channels_ = 1;
  for (const int64_t axis : keys) channels_ *= shape[static_cast<int>(axis)];
  if (!keeps_order_ && (keys.empty() || keys.back() + 1 == end)) {
    outer_ = extent_of(shape, 0, first);
    inner_ = extent_of(shape, end, shape.ndim());
    return;
  }
  order_ = axes;
  for (const int64_t axis : keys) order_.push_back(axis);
  for (const int64_t axis : axes) outer_ *= shape[static_cast<int>(axis)];
  for (const int64_t axis : order_) {
    moved_.push_back(shape[static_cast<int>(axis)]);
  }
}

ChannelLayout::ChannelLayout(int64_t outer, int64_t channels, int64_t inner)
    : outer_(outer), channels_(channels), inner_(inner) {}

Array ChannelLayout::pack(const Array& x) const {
  return order_.empty() ? x.contiguous() : x.transpose(order_).contiguous();
}

Array ChannelLayout::unpack(const Array& y) const {
  if (order_.empty()) return y;
  Axes inverse = order_;
  for (int i = 0; i < order_.size(); ++i) {
    inverse[static_cast<int>(order_[i])] = i;
  }
  const Array unpacked = y.reshape(moved_).transpose(inverse);
  return keeps_order_ ? unpacked : unpacked.contiguous();
}

Axes key_axes(const Shape& shape, const Axes& axes) {
  Axes keys;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (!axes.contains(axis)) keys.push_back(axis);
  }
  return keys;
}

Axes channel_axes(const AxisSet& axis, int ndim, std::string_view operation) {
  if (!axis.is_all()) return axis.normalized(ndim, operation);
  Axes axes;
  for (int i = 0; i < ndim; ++i) {
    if (i != 1) axes.push_back(i);
  }
  return axes;
}

Array as_coefficients(const Array& parameter, Dtype dtype) {
  return parameter.astype(dtype, Array::CopyPolicy::kIfNeeded)
      .contiguous()
      .reshape({-1});
}

RoundedNumbers round_coefficients(const Array& parameter, Dtype dtype) {
  const Array rounded = as_coefficients(parameter, dtype);
  if (item_size(parameter.dtype()) <= item_size(dtype)) return {rounded};
  const Array exact = as_coefficients(parameter, parameter.dtype());
  return {rounded, (exact - rounded.astype(exact.dtype())).astype(dtype)};
}

ChannelMoments channel_moments(const Array& x, const ChannelLayout& layout) {
  ChannelMoments moments = {{new_numbers(x, layout), new_numbers(x, layout)},
                            new_numbers(x, layout)};
  ChannelArgs args = args_of(x, layout);
  args.first = moments.mean.rounded.raw_data();
  args.second = moments.var.raw_data();
  args.normalization.rest = moments.mean.rest.raw_data();
  kernel_of<ChannelMomentsOp>(x)(args);
  return moments;
}

ChannelNormalization normalize_channels(const Array& x, const Array& gamma,
                                        const Array& beta, double eps,
                                        const RunningStatistics* update,
                                        const ChannelLayout& layout) {
  const auto numbers = [&] { return new_numbers(x, layout); };
  ChannelNormalization result = {
      {numbers(), numbers()}, numbers(), numbers(), numbers()};
  const ChannelMoments moments = {result.mean, numbers()};
  const Array factors = gamma.contiguous();
  const Array shifts = beta.contiguous();
  ChannelArgs args = args_of(x, layout);
  args.first = moments.mean.rounded.raw_data();
  args.second = moments.var.raw_data();
  NormalizationArgs& to = args.normalization;
  to = {.gamma = numbers_of(factors),
        .beta = numbers_of(shifts),
        .eps = eps,
        .inv_std = result.inv_std.raw_data(),
        .rest = result.mean.rest.raw_data(),
        .x_factor = result.x_factor.raw_data(),
        .offset = result.offset.raw_data()};
  const bool updates_here =
      update != nullptr && update->mean.defined() && update->var.defined() &&
      update->mean.is_contiguous() && update->var.is_contiguous();
  if (updates_here) {
    for (const Array& average : {update->mean, update->var}) {
      array::check_writable(average, "batch_normalization");
    }
    const RunningStatisticsOp op = update_of(*update, layout.count());
    to.running_mean = numbers_of(update->mean);
    to.running_var = numbers_of(update->var);
    to.decay = op.decay;
    to.mean_rate = op.mean_rate;
    to.var_rate = op.var_rate;
  }
  kernel_of<ChannelMomentsOp>(x)(args);
  if (update != nullptr && !updates_here) {
    update_running_statistics(*update, moments, layout.count());
  }
  return result;
}

ChannelNormalization normalization_by(const ChannelMoments& moments,
                                      const Array& gamma, const Array& beta,
                                      double eps) {
  const Dtype dtype = moments.var.dtype();
  const Array inv_std = 1.0 / array::sqrt(moments.var + eps);
  const Array x_factor = as_coefficients(gamma, dtype) * inv_std;
  return {moments.mean, inv_std, x_factor,
          from_rounded(moments.mean, x_factor, as_coefficients(beta, dtype))};
}

void update_running_statistics(const RunningStatistics& running,
                               const ChannelMoments& moments, int64_t count) {
  const RunningStatisticsOp op = update_of(running, count);
  for (const Array& average : {running.mean, running.var}) {
    if (average.defined()) {
      array::check_writable(average, "batch_normalization");
    }
  }
  const auto fits = [&](const Array& average) {
    return average.defined() && average.dtype() == moments.var.dtype();
  };
  if (fits(running.mean) && fits(running.var)) {
    update_together(running, moments, op);
    return;
  }
  const auto update = [&](const Array& average, const Array& value,
                          double rate) {
    if (!average.defined()) return;
    average *= running.decay;
    average += value.reshape(average.shape()) * rate;
  };
  update(running.mean, moments.mean.rounded, op.mean_rate);
  update(running.var, moments.var, op.var_rate);
}

ChannelSums channel_sums(const Array& gy, const Array& x,
                         const RoundedNumbers& center,
                         const ChannelLayout& layout) {
  ChannelSums sums = {new_numbers(x, layout), new_numbers(x, layout)};
  ChannelArgs args = args_of(x, layout);
  args.other = gy.raw_data();
  args.center = center.rounded.raw_data();
  args.gradient.rest = data_of(center.rest);
  args.first = sums.gy.raw_data();
  args.second = sums.product.raw_data();
  kernel_of<ChannelSumsOp>(x)(args);
  return sums;
}

Array channel_affine(const Array& x, const ChannelAffine& affine,
                     const ChannelLayout& layout) {
  Array y = array::empty_like(x);
  const Array offset =
      from_rounded(affine.center, affine.x_factor, affine.offset);
  ChannelArgs args = args_of(x, layout);
  args.other = data_of(affine.other);
  args.x_factor = affine.x_factor.raw_data();
  args.center = affine.center.rounded.raw_data();
  args.offset = offset.raw_data();
  args.other_factor = data_of(affine.other_factor);
  if (affine.relu) args.low = 0;
  args.y = y.raw_data();
  kernel_of<ChannelAffineOp>(x)(args);
  return y;
}

ChannelGradients channel_gradients(const ChannelGradientArgs& in,
                                   const ChannelLayout& layout) {
  Array gy = in.gy;
  Array mask = in.mask;
  ChannelGradients result;
  if (mask.defined() && gy.device().shares_host_memory()) {
    // The CPU's kernels know no mask.
    const ReluGradient op;
    gy = run_rule(rule_slot<ReluGradient, 2>(), &op, {&mask, &gy});
    mask = Array();
    if (in.wants_masked) result.masked = gy;
  } else if (in.wants_masked) {
    result.masked = mask.defined() ? array::empty_like(gy) : gy;
  }
  const Array gamma = in.gamma.contiguous();
  result.ggamma = array::empty(gamma.shape(), gamma.dtype(), gamma.device());
  result.gbeta = array::empty(gamma.shape(), gamma.dtype(), gamma.device());
  const Array x_factor = new_numbers(in.x, layout);
  const Array other_factor = new_numbers(in.x, layout);
  const Array offset = new_numbers(in.x, layout);
  ChannelArgs args = args_of(in.x, layout);
  args.other = gy.raw_data();
  args.mask = data_of(mask);
  args.center = in.mean.rounded.raw_data();
  args.gradient = {.gamma = numbers_of(gamma),
                   .inv_std = in.inv_std.raw_data(),
                   .rest = data_of(in.mean.rest),
                   .ggamma = numbers_of(result.ggamma),
                   .gbeta = numbers_of(result.gbeta),
                   .x_factor = x_factor.raw_data(),
                   .other_factor = other_factor.raw_data(),
                   .offset = offset.raw_data()};
  kernel_of<ChannelSumsOp>(in.x)(args);
  if (!in.wants_gx && !(mask.defined() && in.wants_masked)) return result;
  result.gx = array::empty_like(in.x);
  args.x_factor = x_factor.raw_data();
  args.other_factor = other_factor.raw_data();
  args.offset = offset.raw_data();
  args.y = result.gx.raw_data();
  if (mask.defined() && in.wants_masked) {
    args.masked = result.masked.raw_data();
  }
  kernel_of<ChannelAffineOp>(in.x)(args);
  return result;
}

}  // namespace catena::functions
