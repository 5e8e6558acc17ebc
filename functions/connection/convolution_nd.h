#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct ConvolutionOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  // Zero padding at each end of the spatial axes.
  Spatial pad = 0;
  // Includes a last window that extends beyond the end.
  bool cover_all = false;
  // The distance between elements of the window.
  Spatial dilate = 1;
  // Splits the channels: each group of outputs is computed from one group of
  // inputs.
  int64_t groups = 1;
};

// N-dimensional convolution (cross-correlation) of x (N, C, d...) with W (O, C
// / groups, k...), plus b (O,) unless undefined:
//
//   y[n, o, u...] = sum over c, i of x[n, c, u * stride + i * dilate - pad]
//                   * W[o, c, i...] + b[o]
//
// where x is 0 outside its extents. y is (N, O, e...) with e given by
// get_conv_outsize. All have the same floating dtype; 16-bit floats are
// accumulated in float32. On the CPU, 3x3 convolutions of float32 with stride 1
// and many channels use Winograd's algorithm (Lavin and Gray, 2016). Throws
// InvalidType when dtypes or shapes do not match or no window fits, ValueError
// for options out of range.
Variable convolution_nd(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});

// convolution_nd with exactly one spatial axis, else InvalidType.
Variable convolution_1d(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});
// convolution_nd with exactly two spatial axes, else InvalidType.
Variable convolution_2d(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});
// convolution_nd with exactly three spatial axes, else InvalidType.
Variable convolution_3d(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});

struct DilatedConvolution2DOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  Spatial dilate = 1;
  bool cover_all = false;
};

// convolution_2d with one group, with the options in Chainer's order.
Variable dilated_convolution_2d(
    const Variable& x, const Variable& W, const Variable& b = {},
    const DilatedConvolution2DOptions& options = {});

}  // namespace catena::functions
