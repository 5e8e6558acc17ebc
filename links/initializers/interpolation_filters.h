#pragma once

#include "catena/array/array.h"

namespace catena::initializers {

// Weights (in, out, k...) of a deconvolution that enlarges each channel by
// linear interpolation, and weights (out, in, k...) of a convolution that
// makes it smaller by an average with the same weights: along each axis these
// fall linearly from the middle of the kernel. ShapeError unless there is a
// kernel and in equals out, or there is just one channel on the other side (out
// for upsampling, in for downsampling).
struct UpsamplingDeconvFilter {
  void operator()(const Array& out) const;
};
struct DownsamplingConvFilter {
  void operator()(const Array& out) const;
};

}  // namespace catena::initializers
