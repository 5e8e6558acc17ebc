#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// Convolutions of float32 images with windows of 3x3 and stride 1 by
// Winograd's algorithm F(4x4, 3x3): Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015. A tile of 4x4 outputs reads 6x6 inputs.
// Both are transformed linearly so that the convolution of a tile becomes 36
// products, one for each point, in place of 144:
//
//   y = A^T [sum over channels of (G w G^T) * (B^T x B)] A
//
// Over all tiles the products of a point are a matrix product,
// (outputs, channels) by (channels, tiles). Images stay in C order: registers
// hold one value of each of several tiles, which permutations pick from rows of
// pixels. Tiles are processed in blocks whose transforms fit into the caches.
//
// Rounding errors are at most about 1e-5 of the largest sum of |x| |w| in a
// tile, a few times those of the definition. Results do not depend on the
// number of threads.
namespace catena::array {

// y = convolution(x, W) and its parts. All arrays are in C order.
struct WinogradConvolution {
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t outputs = 0;  // channels of y
  // Vertical and horizontal, 0 to 2; y is (batch, outputs,
  // height + 2 pad[0] - 2, width + 2 pad[1] - 2).
  int64_t pad[2] = {};
  float* x = nullptr;  // (batch, channels, height, width)
  float* y = nullptr;
  // In place of W, transformed by transform_weights; ignored by gradients.
  const float* transformed = nullptr;
  float* W = nullptr;  // (outputs, channels, 3, 3)
  // For the forward pass, y = relu(convolution(x, W) + b + residual):
  const float* b = nullptr;         // (outputs,) or null
  const float* residual = nullptr;  // like y, or null
  bool relu = false;

  int64_t out_height() const { return height + 2 * pad[0] - 2; }
  int64_t out_width() const { return width + 2 * pad[1] - 2; }
};

namespace winograd {

inline constexpr int64_t kPoints = 36;
// Outputs whose weights are packed together.
inline constexpr int64_t kPanel = 8;

// The distance in floats between the matrices of successive points, which do
// not compete for the same cache sets.
constexpr int64_t plane_step(int64_t size) {
  return (size + 1023) / 1024 * 1024 + 16;
}

// The number of floats of transformed weights.
constexpr int64_t weights_size(int64_t outputs, int64_t channels) {
  return kPoints *
         plane_step((outputs + kPanel - 1) / kPanel * kPanel * channels);
}

}  // namespace winograd

// Null where the CPU's registers hold one float.
struct WinogradKernels {
  static constexpr std::string_view kName = "winograd_convolution";
  using Table = WinogradKernels;
  // Writes winograd::weights_size floats to `transformed`, in a layout that is
  // the same for all CPUs.
  void (*transform_weights)(const WinogradConvolution& args,
                            float* transformed);
  void (*forward)(const WinogradConvolution& args);
  void (*backward_data)(const WinogradConvolution& args);     // writes x
  void (*backward_weights)(const WinogradConvolution& args);  // writes W
  // Floats in a register: one of each of as many tiles.
  int64_t lanes;
};

}  // namespace catena::array
