#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct LocalConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
};

// 2-D convolution with unshared weights, different at each output position: x
// (N, C, h, w) with W (O, oh, ow, C, kh, kw) gives y (N, O, oh, ow),
//
//   y[n, o, u, v] = sum over c, i, j of x[n, c, u * sh + i, v * sw + j]
//                   * W[o, u, v, c, i, j] + b[o, u, v]
//
// with b (O, oh, ow) unless undefined; oh and ow are given by get_conv_outsize.
// All inputs have the same floating dtype. Throws InvalidType when dtypes or
// shapes do not match, ValueError for a stride below 1.
Variable local_convolution_2d(const Variable& x, const Variable& W,
                              const Variable& b = {},
                              const LocalConvolution2DOptions& options = {});

}  // namespace catena::functions
