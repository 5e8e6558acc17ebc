#include "catena/functions/connection/internal/winograd_forward.h"

#include "catena/array/creation.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/functions/connection/internal/winograd_convolution.h"

namespace catena::functions {
namespace {

const array::WinogradKernels& kernels() {
  return kernel_slot<array::WinogradKernels>.on(Device());
}

float* data_of(const Array& a) {
  return a.defined() ? a.data<float>() : nullptr;
}

}  // namespace

bool suits_winograd(const Shape& x, int64_t outputs, const Window& window) {
  if (x.size() != 4 || window.ksize != Shape{3, 3} ||
      window.stride != Shape{1, 1} || window.dilate != Shape{1, 1} ||
      window.pad[0] > 2 || window.pad[1] > 2 || kernels().forward == nullptr) {
    return false;
  }
  const int64_t height = x[2] + 2 * window.pad[0] - 2;
  const int64_t width = x[3] + 2 * window.pad[1] - 2;
  if (height < 1 || width < 1) return false;
  const int64_t channels = x[1];
  const int64_t tiles_of_one = (height + 3) / 4 * ((width + 3) / 4);
  const int64_t tiles = x[0] * tiles_of_one;
  // A tile has 36 products, the definition 9 for each output.
  const bool are_tiles_filled = 9 * height * width >= 72 * tiles_of_one;
  const bool is_large = tiles * channels * outputs >= int64_t{200'000};
  // For the tiles of one register, reading the transformed weights, four times
  // as large, takes as long as the definition.
  const bool are_several = tiles >= 8 && tiles > kernels().lanes;
  return channels >= 16 && outputs >= 16 && are_several && are_tiles_filled &&
         is_large;
}

WinogradWeights::WinogradWeights(const Array& W)
    : outputs_(W.shape()[0]),
      channels_(W.shape()[1]),
      transformed_(
          array::empty({array::winograd::weights_size(outputs_, channels_)},
                       Dtype::kFloat32, W.device())) {
  array::WinogradConvolution args;
  args.channels = channels_;
  args.outputs = outputs_;
  args.W = W.data<float>();
  kernels().transform_weights(args, transformed_.data<float>());
}

void winograd_forward(const Array& x, const WinogradWeights& W,
                      const Shape& pad, const WinogradEpilogue& epilogue,
                      const Array& y) {
  const Shape& shape = x.shape();
  array::WinogradConvolution args = {
      .batch = shape[0],
      .channels = shape[1],
      .height = shape[2],
      .width = shape[3],
      .outputs = W.outputs(),
      .pad = {pad[0], pad[1]},
      .x = x.data<float>(),
      .y = y.data<float>(),
      .transformed = W.transformed().data<float>(),
      .b = data_of(epilogue.b),
      .residual = data_of(epilogue.residual),
      .relu = epilogue.relu,
  };
  kernels().forward(args);
}

}  // namespace catena::functions
