#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "catena/array/core/shape.h"

namespace catena::functions {

// A size along the spatial axes of an image, such as ksize, stride or pad: one
// value for all axes, or one per axis.
//
//   convolution_2d(x, W, b, {.stride = 2, .pad = {1, 0}})
class Spatial {
 public:
  Spatial(int64_t size) : sizes_{size} {}
  Spatial(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  Spatial(const Shape& sizes) : sizes_(sizes) {}

  // One value for each of `ndim` axes. Throws ValueError, naming the function
  // and the argument, unless there are one or `ndim` values, each at least
  // `min` and below 2^31.
  Shape on_axes(int ndim, int64_t min, std::string_view function,
                std::string_view argument) const;

  const Shape& sizes() const { return sizes_; }

 private:
  Shape sizes_;
};

// The output size of a convolution or pooling with kernel size k, stride s,
// padding p and dilation d: floor((size + 2p - d(k - 1) - 1) / s) + 1. With
// cover_all it is rounded up, so that a last window beyond the end covers every
// element. Below 1 when no window fits. Throws ValueError unless k, s and d are
// at least 1 and the result fits int64.
int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                         bool cover_all = false, int64_t d = 1);

// The smallest input size for which get_conv_outsize gives `size`: s(size - 1)
// + d(k - 1) + 1 - 2p, minus s - 1 with cover_all. Throws as get_conv_outsize.
int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                           bool cover_all = false, int64_t d = 1);

}  // namespace catena::functions
