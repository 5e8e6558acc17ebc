#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct ConvolutionOptions {
  Spatial stride = 1;
  // How many zeros to add at each end of the spatial axes.
  Spatial pad = 0;
  // Counts also a last window that runs over the end.
  bool cover_all = false;
  // How far apart the elements are that the window sees.
  Spatial dilate = 1;
  // Splits the channels: each group of outputs sees a group of inputs alone.
  int64_t groups = 1;
};

// The correlation of x (N, C, d...) with W (O, C / groups, k...), plus b (O,)
// unless undefined:
//
//   y[n, o, u...] = sum over c, i of x[n, c, u * stride + i * dilate - pad]
//                   * W[o, c, i...] + b[o]
//
// where x is 0 outside of its extents. y is (N, O, e...) with e from
// get_conv_outsize. Floating, of one dtype; 16-bit floats are added up in
// float32. On the CPU, 3x3 convolutions of float32 with stride 1 and many
// channels use Winograd's algorithm (Lavin and Gray, 2016).
// InvalidType when dtypes or shapes do not fit or a window finds no room,
// ValueError for options out of range.
Variable convolution_nd(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});

// The same for 1, 2 and 3 spatial axes, else InvalidType.
Variable convolution_1d(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});
Variable convolution_2d(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});
Variable convolution_3d(const Variable& x, const Variable& W,
                        const Variable& b = {},
                        const ConvolutionOptions& options = {});

struct DilatedConvolution2DOptions {
  Spatial stride = 1;
  Spatial pad = 0;
  Spatial dilate = 1;
  bool cover_all = false;
};

// convolution_2d in one group, with the options in Chainer's order.
Variable dilated_convolution_2d(
    const Variable& x, const Variable& W, const Variable& b = {},
    const DilatedConvolution2DOptions& options = {});

}  // namespace catena::functions
