#pragma once

#include <string_view>

#include "catena/array/array.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/functions/internal/window.h"

// The interface between convolutions and their kernels.
namespace catena::functions {

// The parameters of y = convolution(x, W) other than its arrays.
struct ConvolutionGeometry {
  Window window;
  int64_t groups = 1;
};

// The three arrays of a convolution, x (N, C, d...), W (O, C / groups, k...)
// and y (N, O, o...). Two are given and one is computed. All are nonempty, with
// the same floating dtype and device; the result is newly allocated and
// C-contiguous, or images on a GPU whose channels are last
// (array/channels_last.h).
struct ConvolutionArgs {
  std::string_view function;  // for messages
  const ConvolutionGeometry& geometry;
  const Array& x;
  const Array& W;
  const Array& y;
  // (O,) or undefined; added to y in the forward pass.
  const Array& b;
};

enum class ConvolutionPass : uint8_t {
  kForward,          // y
  kBackwardData,     // x's gradient from y's
  kBackwardWeights,  // W's gradient from y's
};

using ConvolutionKernel = void(ConvolutionPass pass,
                               const ConvolutionArgs& args);

struct ConvolutionKernels {
  static constexpr std::string_view kName = "convolution";
  static constexpr bool kCompiledOnce = true;
  using Table = ConvolutionKernels;
  ConvolutionKernel* run;
};

// A kernel for any device: matrix products with im2col columns, a few samples
// at a time.
ConvolutionKernel convolve_by_matmul;

// Runs the float32 kernel on 16-bit floats.
void convolve_in_float32(ConvolutionKernel* kernel, ConvolutionPass pass,
                         const ConvolutionArgs& args);

}  // namespace catena::functions
