#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "catena/array/shape.h"

namespace catena::functions {

// A size along the spatial axes of an image, such as ksize, stride or pad: one
// number for all of them, or one for each.
//
//   convolution_2d(x, W, b, {.stride = 2, .pad = {1, 0}})
class Spatial {
 public:
  Spatial(int64_t size) : sizes_{size} {}
  Spatial(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  Spatial(const Shape& sizes) : sizes_(sizes) {}

  // One number for each of `ndim` axes. ValueError, naming the function and
  // the argument, unless there are that many or one, each at least `min` and
  // of 31 bits.
  Shape on_axes(int ndim, int64_t min, std::string_view function,
                std::string_view argument) const;

  const Shape& sizes() const { return sizes_; }

 private:
  Shape sizes_;
};

// The extent of the result when a window of k elements that are d apart goes
// over `size` elements, with p more of padding at each end, in steps of s:
// floor((size + 2p - d(k - 1) - 1) / s) + 1. With cover_all it is rounded up,
// so that a last window which runs over the end reaches every element. Below 1
// when no window fits.
int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                         bool cover_all = false, int64_t d = 1);

// The smallest extent for which get_conv_outsize gives `size`:
// s(size - 1) + d(k - 1) + 1 - 2p, less s - 1 with cover_all.
int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                           bool cover_all = false, int64_t d = 1);

}  // namespace catena::functions
