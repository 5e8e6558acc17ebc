#pragma once

#include <cstdint>
#include <vector>

#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/cudnn/descriptors.h"

// Convolutions by cuDNN's graph API, whose engines are newer than those behind
// its functions for single convolutions.
namespace catena::functions {

// Everything that the choice of an algorithm depends on.
using ConvolutionKey = std::vector<int64_t>;

// Computes a pass, and in a forward pass adds args.b and runs the epilogue in
// the same kernel. The arrays are in that order. False, perhaps after results
// were written, when cuDNN has no plan for it or too little memory.
bool run_convolution_plan(ConvolutionPass pass, const ConvolutionArgs& args,
                          const ConvolutionEpilogue& epilogue,
                          cudnn::ImageOrder order, const ConvolutionKey& key);

}  // namespace catena::functions
