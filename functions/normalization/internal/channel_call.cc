#include "catena/functions/normalization/internal/channel_call.h"

#include "catena/array/error.h"
#include "catena/array/image_order.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/normalization/internal/channel_args.h"

namespace catena::functions {
namespace {

// Below this, kernels vectorize along channels, even if inner is greater than
// 1.
constexpr int64_t kShortest = 16;

int64_t extent_of(const Shape& shape, int begin, int end) {
  int64_t extent = 1;
  for (int axis = begin; axis < end; ++axis) extent *= shape[axis];
  return extent;
}

// The kernels' layout: short runs become separate channels.
class KernelLayout {
 public:
  explicit KernelLayout(const ChannelLayout& layout)
      : layout_(layout),
        is_split_(layout.inner() > 1 && layout.inner() < kShortest) {}

  bool is_split() const { return is_split_; }
  int64_t channels() const {
    return is_split_ ? layout_.channels() * layout_.inner()
                     : layout_.channels();
  }

  ChannelArgs args(const Array& x) const {
    ChannelArgs args = {};
    args.device = x.device();
    args.outer = layout_.outer();
    args.channels = channels();
    args.inner = is_split_ ? 1 : layout_.inner();
    args.x = x.raw_data();
    return args;
  }

  Array new_numbers(const Array& x) const {
    return array::empty({channels()}, computed_dtype(x.dtype()), x.device());
  }
  // Converts per-channel values to the kernel's channels and back.
  Array split(const Array& numbers) const {
    if (!is_split_ || !numbers.defined()) return numbers;
    return numbers.reshape({-1, 1})
        .broadcast_to({layout_.channels(), layout_.inner()})
        .contiguous();
  }
  Array rows(const Array& numbers) const {
    return numbers.reshape({layout_.channels(), layout_.inner()});
  }

 private:
  ChannelLayout layout_;
  bool is_split_;
};

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

ChannelMoments channel_moments(const Array& x, const ChannelLayout& layout) {
  const KernelLayout split(layout);
  ChannelMoments moments = {split.new_numbers(x), split.new_numbers(x)};
  ChannelArgs args = split.args(x);
  args.first = moments.mean.raw_data();
  args.second = moments.var.raw_data();
  kernel_of<ChannelMomentsOp>(x)(args);
  if (!split.is_split()) return moments;
  // The parts have equal counts, so the variance is the mean of the variances
  // plus the variance of the means.
  const Array means = split.rows(moments.mean);
  const array::ReduceOptions over{.axis = 1, .keepdims = true};
  const Array mean = array::mean(means, over);
  const Array var = array::mean(split.rows(moments.var), over) +
                    array::mean(array::square(means - mean), over);
  return {mean.reshape({-1}), var.reshape({-1})};
}

ChannelSums channel_sums(const Array& gy, const Array& x, const Array& center,
                         const ChannelLayout& layout) {
  const KernelLayout split(layout);
  ChannelSums sums = {split.new_numbers(x), split.new_numbers(x)};
  const Array centers = split.split(center);
  ChannelArgs args = split.args(x);
  args.gy = gy.raw_data();
  args.center = centers.raw_data();
  args.first = sums.gy.raw_data();
  args.second = sums.product.raw_data();
  kernel_of<ChannelSumsOp>(x)(args);
  if (!split.is_split()) return sums;
  const array::ReduceOptions over{.axis = 1};
  return {array::sum(split.rows(sums.gy), over),
          array::sum(split.rows(sums.product), over)};
}

Array channel_affine(const Array& x, const ChannelAffine& affine,
                     const ChannelLayout& layout) {
  const KernelLayout split(layout);
  Array y = array::empty_like(x);
  const Array x_factor = split.split(affine.x_factor);
  const Array center = split.split(affine.center);
  const Array offset = split.split(affine.offset);
  const Array gy_factor = split.split(affine.gy_factor);
  ChannelArgs args = split.args(x);
  args.x_factor = x_factor.raw_data();
  args.center = center.raw_data();
  args.offset = offset.raw_data();
  if (affine.gy.defined()) {
    args.gy = affine.gy.raw_data();
    args.gy_factor = gy_factor.raw_data();
  }
  args.y = y.raw_data();
  kernel_of<ChannelAffineOp>(x)(args);
  return y;
}

}  // namespace catena::functions
