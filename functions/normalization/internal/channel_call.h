#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Per-channel statistics, and per-channel scaling and shifting, each in one
// pass over memory.
namespace catena::functions {

// Defines channels: a channel is the elements along `axes` at one position of
// the other axes, the key axes. Arrays whose key axes are adjacent are used in
// place; otherwise the key axes are moved to the end.
class ChannelLayout {
 public:
  ChannelLayout() = default;
  // `axes` are normalized. Images whose channels are last, and are the key
  // axis, are used as they are in memory.
  ChannelLayout(const Array& x, const Axes& axes);
  // The layout of an array (outer, channels, inner).
  ChannelLayout(int64_t outer, int64_t channels, int64_t inner);

  // Converts an array like x to the layout's order, contiguous, and back.
  Array pack(const Array& x) const;
  Array unpack(const Array& y) const;

  int64_t outer() const { return outer_; }
  int64_t channels() const { return channels_; }
  int64_t inner() const { return inner_; }
  // Whether packed arrays are images whose channels are last.
  bool is_channels_last() const { return keeps_order_; }
  // The number of elements per channel.
  int64_t count() const { return outer_ * inner_; }

 private:
  int64_t outer_ = 1;
  int64_t channels_ = 1;
  int64_t inner_ = 1;
  Axes order_;  // permutation of the axes; empty for the identity
  Shape moved_;
  bool keeps_order_ = false;  // of images whose channels are last
};

// key_axes: all axes except `axes`. channel_axes: the normalized axis option,
// by default all axes but the second.
Axes key_axes(const Shape& shape, const Axes& axes);
Axes channel_axes(const AxisSet& axis, int ndim, std::string_view operation);

// Converts a parameter for kernels: of the given dtype, with one axis.
Array as_coefficients(const Array& parameter, Dtype dtype);

// Numbers in two parts. Far from 0, rounding a mean shifts the elements around
// it by more than they are rounded themselves.
struct RoundedNumbers {
  Array rounded;
  Array rest = {};  // what rounding took; undefined if that is 0 or unknown
};
// The same for a parameter.
RoundedNumbers round_coefficients(const Array& parameter, Dtype dtype);

// One value per channel, in the dtype that x is computed in. Arrays are packed.
struct ChannelMoments {
  RoundedNumbers mean;
  Array var;  // divided by the count
};
ChannelMoments channel_moments(const Array& x, const ChannelLayout& layout);

// Moving averages, which a call updates in place, or undefined.
struct RunningStatistics {
  Array mean;
  Array var;
  double decay;
};

// What batch normalization makes of a batch: for channel_affine(), and for its
// gradients.
struct ChannelNormalization {
  RoundedNumbers mean;
  Array inv_std;
  Array x_factor;
  Array offset;  // from the rounded mean
};
// Parameters have one number per channel and any floating dtype. Also updates
// the averages, if not null. On a GPU this takes two launches.
ChannelNormalization normalize_channels(const Array& x, const Array& gamma,
                                        const Array& beta, double eps,
                                        const RunningStatistics* update,
                                        const ChannelLayout& layout);

// The same where the moments are known. Updates nothing.
ChannelNormalization normalization_by(const ChannelMoments& moments,
                                      const Array& gamma, const Array& beta,
                                      double eps);

// Updates the running statistics with those of a batch with `count` elements
// per channel.
void update_running_statistics(const RunningStatistics& running,
                               const ChannelMoments& moments, int64_t count);

struct ChannelSums {
  Array gy;       // sum(gy)
  Array product;  // sum(gy (x - center))
};
ChannelSums channel_sums(const Array& gy, const Array& x,
                         const RoundedNumbers& center,
                         const ChannelLayout& layout);

// x_factor (x - center) + offset, plus other_factor other if `other` is given;
// with x's dtype.
struct ChannelAffine {
  Array x_factor;
  RoundedNumbers center;
  Array offset;
  Array other_factor = {};  // by default 1
  Array other = {};
  bool relu = false;  // 0 in place of negative results
};
Array channel_affine(const Array& x, const ChannelAffine& affine,
                     const ChannelLayout& layout);

// The gradients of batch normalization for those of its results. With `mask`,
// gy counts as 0 where that is not positive.
struct ChannelGradientArgs {
  Array gy;
  Array x;
  Array mask = {};
  Array gamma;
  RoundedNumbers mean;
  Array inv_std;
  bool wants_gx = true;
  bool wants_masked = false;
};
struct ChannelGradients {
  Array ggamma;  // of gamma's dtype
  Array gbeta;
  Array gx = {};
  Array masked = {};  // gy as it counts
};
// On a GPU this takes three launches.
ChannelGradients channel_gradients(const ChannelGradientArgs& args,
                                   const ChannelLayout& layout);

}  // namespace catena::functions
