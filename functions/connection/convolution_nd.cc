#include "catena/functions/connection/convolution_nd.h"

#include <optional>
#include <string_view>

#include "catena/functions/connection/internal/convolution_node.h"

namespace catena::functions {
namespace {

ConvolutionCall call_of(const ConvolutionOptions& options,
                        std::string_view function,
                        std::optional<int> ndim = std::nullopt) {
  return {.window = {.function = function,
                     .ksize = 1,
                     .stride = options.stride,
                     .pad = options.pad,
                     .cover_all = options.cover_all,
                     .ndim = ndim,
                     .dilate = options.dilate},
          .groups = options.groups};
}

}  // namespace

Variable convolution_nd(const Variable& x, const Variable& W, const Variable& b,
                        const ConvolutionOptions& options) {
  return convolve(x, W, b, call_of(options, "convolution_nd"));
}

Variable convolution_1d(const Variable& x, const Variable& W, const Variable& b,
                        const ConvolutionOptions& options) {
  return convolve(x, W, b, call_of(options, "convolution_1d", 1));
}

Variable convolution_2d(const Variable& x, const Variable& W, const Variable& b,
                        const ConvolutionOptions& options) {
  return convolve(x, W, b, call_of(options, "convolution_2d", 2));
}

Variable convolution_3d(const Variable& x, const Variable& W, const Variable& b,
                        const ConvolutionOptions& options) {
  return convolve(x, W, b, call_of(options, "convolution_3d", 3));
}

Variable dilated_convolution_2d(const Variable& x, const Variable& W,
                                const Variable& b,
                                const DilatedConvolution2DOptions& options) {
  const ConvolutionOptions in_one_group = {.stride = options.stride,
                                           .pad = options.pad,
                                           .cover_all = options.cover_all,
                                           .dilate = options.dilate};
  return convolve(x, W, b, call_of(in_one_group, "dilated_convolution_2d", 2));
}

}  // namespace catena::functions
