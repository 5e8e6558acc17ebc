#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// Convolutions of float32 images, one image per thread at a time: products of
// the weights and im2col columns, which fit into the thread's cache, tiled into
// registers. Images need no reordering, and the number of channels is
// arbitrary, where oneDNN pads to multiples of 16.
namespace catena::array {

struct TiledConvolution {
  int64_t batch;
  int64_t channels;
  int64_t height;
  int64_t width;
  int64_t outputs;  // channels of y
  int64_t out_height;
  int64_t out_width;
  // Vertical and horizontal.
  int64_t ksize[2] = {};
  int64_t stride[2] = {};
  int64_t pad[2] = {};
  int64_t dilate[2] = {};
  float* x;        // (batch, channels, height, width)
  float* W;        // (outputs, channels, ksize...)
  float* y;        // (batch, outputs, out_height, out_width)
  const float* b;  // (outputs,) or null
};

struct TiledConvolutionKernels {
  static constexpr std::string_view kName = "tiled_convolution";
  using Table = TiledConvolutionKernels;
  void (*forward)(const TiledConvolution& args);
  void (*backward_data)(const TiledConvolution& args);
  void (*backward_weights)(const TiledConvolution& args);
};

}  // namespace catena::array
