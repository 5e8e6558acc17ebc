#pragma once

#include "catena/array/array.h"

namespace catena::initializers {

// Weights (in, out, k...) of a deconvolution that upsamples each channel by
// linear interpolation. Along each axis they decrease linearly from the centre
// of the kernel. Throws ShapeError unless there is a kernel axis and out is 1
// or in.
struct UpsamplingDeconvFilter {
  void operator()(const Array& out) const;
};
// Weights (out, in, k...) of a convolution that downsamples each channel by an
// average with UpsamplingDeconvFilter's weights. Throws ShapeError unless there
// is a kernel axis and in is 1 or out.
struct DownsamplingConvFilter {
  void operator()(const Array& out) const;
};

}  // namespace catena::initializers
