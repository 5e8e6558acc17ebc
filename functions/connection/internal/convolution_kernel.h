#pragma once

#include <string_view>

#include "catena/array/array.h"
#include "catena/array/kernel_slot.h"
#include "catena/functions/internal/window.h"

// The contract between convolutions and their kernels.
namespace catena::functions {

// What y = convolution(x, W) is apart from its arrays.
struct ConvolutionGeometry {
  Window window;
  int64_t groups = 1;
};

// The three arrays of a convolution, x (N, C, d...), W (O, C / groups, k...)
// and y (N, O, o...). Two are given and one is computed. They are of one
// floating dtype, on one device, none without elements, the result new and in C
// order.
struct ConvolutionArgs {
  std::string_view function;  // for messages
  const ConvolutionGeometry& geometry;
  const Array& x;
  const Array& W;
  const Array& y;
  // (O,), undefined where there is none; added to y, when that is computed.
  const Array& b;
};

enum class ConvolutionPass : uint8_t {
  kForward,          // y
  kBackwardData,     // x, the gradient that y as gradient gives
  kBackwardWeights,  // W, likewise
};

using ConvolutionKernel = void(ConvolutionPass pass,
                               const ConvolutionArgs& args);

struct ConvolutionKernels {
  static constexpr std::string_view kName = "convolution";
  static constexpr bool kCompiledOnce = true;
  using Table = ConvolutionKernels;
  ConvolutionKernel* run;
};

// A kernel for any device: products of matrices and the columns that the window
// sees, some samples at a time.
ConvolutionKernel convolve_by_matmul;

// 16-bit floats by the kernel for float32.
void convolve_in_float32(ConvolutionKernel* kernel, ConvolutionPass pass,
                         const ConvolutionArgs& args);

}  // namespace catena::functions
