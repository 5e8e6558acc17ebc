#include "catena/functions/connection/depthwise_convolution_2d.h"

#include "catena/autograd/type_check.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/connection/internal/convolution_node.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "depthwise_convolution_2d";

void check_types(const Variable& x, const Variable& W) {
  const VariableRef inputs[] = {x, W};
  TypeCheck in(kName, inputs);
  const auto [image, weight] = in.names<2>({"x", "W"});
  in.expect(image.ndim() == type_check::Term(4),
            weight.ndim() == type_check::Term(4));
  in.expect(image.shape(1) == weight.shape(1));
  in.expect(weight.shape(1) > type_check::Term(0));
}

}  // namespace

Variable depthwise_convolution_2d(
    const Variable& x, const Variable& W, const Variable& b,
    const DepthwiseConvolution2DOptions& options) {
  check_types(x, W);
  const Shape& shape = W.shape();
  const int64_t channels = shape[1];
  // One group for each channel.
  const Variable grouped = reshape(
      transpose(W, {1, 0, 2, 3}), {shape[0] * channels, 1, shape[2], shape[3]});
  return convolve(x, grouped, b,
                  {.window = {.function = kName,
                              .ksize = 1,
                              .stride = options.stride,
                              .pad = options.pad,
                              .ndim = 2},
                   .groups = channels});
}

}  // namespace catena::functions
