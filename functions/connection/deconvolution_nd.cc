#include "catena/functions/connection/deconvolution_nd.h"

#include <string_view>

#include "catena/functions/connection/internal/convolution_node.h"

namespace catena::functions {
namespace {

ConvolutionCall call_of(const DeconvolutionOptions& options,
                        std::string_view function,
                        std::optional<int> ndim = std::nullopt) {
  return {.window = {.function = function,
                     .ksize = 1,
                     .stride = options.stride,
                     .pad = options.pad,
                     .ndim = ndim,
                     .dilate = options.dilate},
          .groups = options.groups,
          .outsize = options.outsize};
}

}  // namespace

Variable deconvolution_nd(const Variable& x, const Variable& W,
                          const Variable& b,
                          const DeconvolutionOptions& options) {
  return deconvolve(x, W, b, call_of(options, "deconvolution_nd"));
}

Variable deconvolution_1d(const Variable& x, const Variable& W,
                          const Variable& b,
                          const DeconvolutionOptions& options) {
  return deconvolve(x, W, b, call_of(options, "deconvolution_1d", 1));
}

Variable deconvolution_2d(const Variable& x, const Variable& W,
                          const Variable& b,
                          const DeconvolutionOptions& options) {
  return deconvolve(x, W, b, call_of(options, "deconvolution_2d", 2));
}

Variable deconvolution_3d(const Variable& x, const Variable& W,
                          const Variable& b,
                          const DeconvolutionOptions& options) {
  return deconvolve(x, W, b, call_of(options, "deconvolution_3d", 3));
}

}  // namespace catena::functions
