#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct LocalConvolution2DOptions {
  Spatial stride = 1;
};

// A convolution with weights of its own at each place: x (N, C, h, w) with W
// (O, oh, ow, C, kh, kw) gives y (N, O, oh, ow),
//
//   y[n, o, u, v] = sum over c, i, j of x[n, c, u * sh + i, v * sw + j]
//                   * W[o, u, v, c, i, j] + b[o, u, v]
//
// with b (O, oh, ow) unless undefined; oh and ow are get_conv_outsize's.
// Floating, of one dtype. InvalidType when dtypes or shapes do not fit,
// ValueError for a stride below 1.
Variable local_convolution_2d(const Variable& x, const Variable& W,
                              const Variable& b = {},
                              const LocalConvolution2DOptions& options = {});

}  // namespace catena::functions
