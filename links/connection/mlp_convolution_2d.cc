#include "catena/links/connection/mlp_convolution_2d.h"

#include "catena/array/core/error.h"
#include "catena/links/connection/convolution_nd.h"

namespace catena::links {

MLPConvolution2D::MLPConvolution2D(std::optional<int64_t> in_channels,
                                   const std::vector<int64_t>& out_channels,
                                   const Spatial& ksize,
                                   const MLPConvolution2DOptions& options)
    : activation(options.activation) {
  if (out_channels.empty() || !activation) {
    raise<ValueError>(
        "MLPConvolution2D: expected out_channels and an activation, got none");
  }
  append(Convolution2D(in_channels, out_channels[0], ksize,
                       {.stride = options.stride,
                        .pad = options.pad,
                        .initialW = options.conv_init,
                        .initial_bias = options.bias_init}));
  for (size_t i = 1; i < out_channels.size(); ++i) {
    append(Convolution2D(
        out_channels[i - 1], out_channels[i], 1,
        {.initialW = options.conv_init, .initial_bias = options.bias_init}));
  }
}

Variable MLPConvolution2D::forward(const Variable& x) {
  Variable h = at<Convolution2D>(0)(x);
  for (int64_t i = 1; i < size(); ++i) {
    h = at<Convolution2D>(i)(activation(h));
  }
  return h;
}

}  // namespace catena::links
