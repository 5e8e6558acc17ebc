#pragma once

#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct DeconvolutionOptions {
  Spatial stride = 1;
  Spatial pad = 0;
  // The extents of y; defaults to the smallest that x can come from.
  std::optional<Spatial> outsize = std::nullopt;
  Spatial dilate = 1;
  int64_t groups = 1;
};

// The transpose of convolution_nd as a linear map: x (N, C, d...) with W (C, O
// / groups, k...), plus b (O,) unless undefined, gives y (N, O, e...), where
// element n, c, u of x adds x * W[c, o, i...] to y[n, o, u * stride + i *
// dilate - pad] for all o and i. Without outsize, e is get_deconv_outsize's.
// Floating, of one dtype. InvalidType when dtypes or shapes do not fit or no
// convolution brings outsize to d, ValueError for options out of range.
Variable deconvolution_nd(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});

// The same for 1, 2 and 3 spatial axes, else InvalidType.
Variable deconvolution_1d(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});
Variable deconvolution_2d(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});
Variable deconvolution_3d(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});

}  // namespace catena::functions
