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

// One value per channel, in the dtype that x is computed in. Arrays are packed.
struct ChannelMoments {
  Array mean;
  Array var;  // divided by the count
};
ChannelMoments channel_moments(const Array& x, const ChannelLayout& layout);

struct ChannelSums {
  Array gy;       // sum(gy)
  Array product;  // sum(gy (x - center))
};
ChannelSums channel_sums(const Array& gy, const Array& x, const Array& center,
                         const ChannelLayout& layout);

// x_factor (x - center) + offset, plus gy_factor gy if gy is given; with x's
// dtype.
struct ChannelAffine {
  Array x_factor;
  Array center;
  Array offset;
  Array gy_factor = {};
  Array gy = {};
};
Array channel_affine(const Array& x, const ChannelAffine& affine,
                     const ChannelLayout& layout);

}  // namespace catena::functions
