#pragma once

#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/cudnn/cudnn_slot.h"

namespace catena::functions {

// One pass of a convolution; false when cuDNN declines.
inline constinit CudnnSlot<bool(ConvolutionPass, const ConvolutionArgs&)>
    convolution_cudnn;

}  // namespace catena::functions
