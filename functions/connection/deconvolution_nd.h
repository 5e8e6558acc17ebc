#pragma once

#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct DeconvolutionOptions {
  NamedFieldsOnly keywords = {};
  Spatial stride = 1;
  Spatial pad = 0;
  // The spatial extents of y; defaults to the smallest possible.
  std::optional<Spatial> outsize = std::nullopt;
  Spatial dilate = 1;
  int64_t groups = 1;
};

// N-dimensional transposed convolution, the adjoint of convolution_nd: x (N, C,
// d...) with W (C, O / groups, k...), plus b (O,) unless undefined, gives y (N,
// O, e...), where element n, c, u of x adds x * W[c, o, i...] to y[n, o, u *
// stride + i * dilate - pad] for all o and i. e defaults to get_deconv_outsize.
// All have the same floating dtype. Throws InvalidType when dtypes or shapes do
// not match or no convolution maps outsize to d, ValueError for options out of
// range.
Variable deconvolution_nd(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});

// deconvolution_nd with exactly one spatial axis, else InvalidType.
Variable deconvolution_1d(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});
// deconvolution_nd with exactly two spatial axes, else InvalidType.
Variable deconvolution_2d(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});
// deconvolution_nd with exactly three spatial axes, else InvalidType.
Variable deconvolution_3d(const Variable& x, const Variable& W,
                          const Variable& b = {},
                          const DeconvolutionOptions& options = {});

}  // namespace catena::functions
