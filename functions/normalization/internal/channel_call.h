#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/array.h"
#include "catena/functions/axes.h"

// Statistics of channels, and arrays that are scaled and shifted by channel, in
// one pass over the memory each.
namespace catena::functions {

// Which elements make up a channel: those along `axes`, at one position of the
// others, the key axes. An array whose key axes lie side by side is used as it
// is; another has them moved to its end.
class ChannelLayout {
 public:
  ChannelLayout() = default;
  // `axes` are normalized.
  ChannelLayout(const Shape& shape, const Axes& axes);
  // The layout of an array (outer, channels, inner).
  ChannelLayout(int64_t outer, int64_t channels, int64_t inner);

  // The elements in the layout's order, without gaps, and back.
  Array pack(const Array& x) const;
  Array unpack(const Array& y) const;

  int64_t outer() const { return outer_; }
  int64_t channels() const { return channels_; }
  int64_t inner() const { return inner_; }
  // The elements of a channel.
  int64_t count() const { return outer_ * inner_; }

 private:
  int64_t outer_ = 1;
  int64_t channels_ = 1;
  int64_t inner_ = 1;
  Axes order_;  // of the axes; empty when they stay
  Shape moved_;
};

// All axes of x but those, and without an option all but the second.
Axes key_axes(const Shape& shape, const Axes& axes);
Axes channel_axes(const AxisSet& axis, int ndim, std::string_view operation);

// A parameter as kernels take it: of the dtype, with one axis.
Array as_coefficients(const Array& parameter, Dtype dtype);

// One number for each channel, of the dtype that x's elements are computed in.
// Arrays are packed.
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

// x_factor (x - center) + offset, and where there is a gy, + gy_factor gy; of
// x's dtype.
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
