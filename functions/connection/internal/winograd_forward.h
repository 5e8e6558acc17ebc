#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/functions/internal/window.h"

// Winograd convolutions of float32 images on the CPU whose weights are
// transformed once, with what usually follows a convolution done at the same
// time. For execution plans; functions::convolution_nd transforms the weights
// in every call.
namespace catena::functions {

// Whether winograd_convolution.h computes the convolution of x, (N, C, H, W),
// with weights of `outputs` outputs, and is faster than the definition: by the
// shapes alone, whatever winograd.h says.
bool suits_winograd(const Shape& x, int64_t outputs, const Window& window);

class WinogradWeights {
 public:
  // W, (O, C, 3, 3), float32, on the CPU and in C order. Later changes of W
  // have no effect.
  explicit WinogradWeights(const Array& W);

  int64_t outputs() const { return outputs_; }
  int64_t channels() const { return channels_; }
  const Array& transformed() const { return transformed_; }

 private:
  int64_t outputs_;
  int64_t channels_;
  Array transformed_;
};

struct WinogradEpilogue {
  Array b = {};         // (O,) or undefined
  Array residual = {};  // like y, or undefined; may be y itself
  bool relu = false;
};

// y = relu(convolution(x, W) + b + residual); relu, b and residual as the
// epilogue says. All arrays are float32, on the CPU and in C order; y, of the
// shape that `pad` (0 to 2 on each axis) makes, is written.
void winograd_forward(const Array& x, const WinogradWeights& W,
                      const Shape& pad, const WinogradEpilogue& epilogue,
                      const Array& y);

}  // namespace catena::functions
