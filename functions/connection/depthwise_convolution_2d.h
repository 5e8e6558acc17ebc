#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct DepthwiseConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
};

// Convolves each channel separately: x (N, C, h, w) with W (M, C, kh, kw) gives
// y (N, C * M, oh, ow), whose channel c * M + m is x's channel c convolved with
// W[m, c], plus b (C * M,) unless undefined. All inputs have the same floating
// dtype. Throws InvalidType when dtypes or shapes do not match, ValueError for
// options out of range.
Variable depthwise_convolution_2d(
    const Variable& x, const Variable& W, const Variable& b = {},
    const DepthwiseConvolution2DOptions& options = {});

}  // namespace catena::functions
