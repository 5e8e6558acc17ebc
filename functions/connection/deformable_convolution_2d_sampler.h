#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct DeformableConvolution2DSamplerOptions {
  Spatial stride = 1;
  Spatial pad = 0;
};

// A convolution whose window's elements have moved (Dai et al., 2017,
// "Deformable Convolutional Networks"): as convolution_2d of x (N, C, h, w)
// with W (O, C, kh, kw), plus b (O,) unless undefined, but what element k of
// the window sees at (u, v) lies offset[n, kh * kw + k, u, v] further down and
// offset[n, k, u, v] further to the right, which need not be whole numbers: x
// is interpolated linearly between its elements, and 0 outside. offset is (N, 2
// * kh * kw, oh, ow) for y (N, O, oh, ow). Floating, of one dtype. The gradient
// at a whole number is the one to its right. InvalidType when dtypes or shapes
// do not fit, ValueError for options out of range.
Variable deformable_convolution_2d_sampler(
    const Variable& x, const Variable& offset, const Variable& W,
    const Variable& b = {},
    const DeformableConvolution2DSamplerOptions& options = {});

}  // namespace catena::functions
