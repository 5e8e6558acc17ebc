#pragma once

#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/cudnn/cudnn_slot.h"

namespace catena::functions {

// One pass of a convolution; false when cuDNN declines.
inline constinit CudnnSlot<bool(ConvolutionPass, const ConvolutionArgs&)>
    convolution_cudnn;

// What else a forward pass computes: relu(y + residual).
struct ConvolutionEpilogue {
  const Array& residual;  // of y's shape, or undefined
  bool relu;
};

// A forward pass and its epilogue; args.b is given. The arrays may have their
// channels last, which is what tensor cores read: then y does. False when cuDNN
// declines.
inline constinit CudnnSlot<bool(const ConvolutionArgs&,
                                const ConvolutionEpilogue&)>
    fused_convolution_cudnn;

}  // namespace catena::functions
