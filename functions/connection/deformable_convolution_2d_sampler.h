#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct DeformableConvolution2DSamplerOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
};

// 2-D convolution that samples its input at learned offsets (Dai et al., 2017,
// "Deformable Convolutional Networks"): like convolution_2d of x (N, C, h, w)
// with W (O, C, kh, kw), plus b (O,) unless undefined, but element k of the
// window at (u, v) is read offset[n, kh * kw + k, u, v] further down and
// offset[n, k, u, v] further right, by bilinear interpolation; x is 0 outside
// its extents. offset is (N, 2 * kh * kw, oh, ow) for y (N, O, oh, ow). All
// have the same floating dtype. At integer positions the gradient is the
// right-sided one. Throws InvalidType when dtypes or shapes do not match,
// ValueError for options out of range.
Variable deformable_convolution_2d_sampler(
    const Variable& x, const Variable& offset, const Variable& W,
    const Variable& b = {},
    const DeformableConvolution2DSamplerOptions& options = {});

}  // namespace catena::functions
