#include "catena/links/connection/depthwise_convolution_2d.h"

#include "catena/functions/connection/depthwise_convolution_2d.h"
#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "DepthwiseConvolution2D";

std::optional<Shape> weight_shape(
    std::optional<int64_t> in_channels, int64_t multiplier,
    const Spatial& ksize, const DepthwiseConvolution2DOptions& options) {
  check_channels(kName, in_channels, multiplier);
  const Shape size = ksize.on_axes(2, 1, kName, "ksize");
  options.stride.on_axes(2, 1, kName, "stride");
  options.pad.on_axes(2, 0, kName, "pad");
  if (!in_channels) return std::nullopt;
  return filter_shape(multiplier, *in_channels, size);
}

std::optional<Shape> bias_shape(std::optional<int64_t> in_channels,
                                int64_t multiplier) {
  if (!in_channels) return std::nullopt;
  return Shape{*in_channels * multiplier};
}

}  // namespace

DepthwiseConvolution2D::DepthwiseConvolution2D(
    std::optional<int64_t> in_channels, int64_t channel_multiplier,
    const Spatial& ksize, const DepthwiseConvolution2DOptions& options)
    : W(this, "W", options.initialW,
        weight_shape(in_channels, channel_multiplier, ksize, options)),
      b(options.nobias ? Param()
                       : Param(this, "b", options.initial_bias,
                               bias_shape(in_channels, channel_multiplier))),
      channel_multiplier_(channel_multiplier),
      ksize_(ksize.on_axes(2, 1, kName, "ksize")),
      stride_(options.stride),
      pad_(options.pad) {}

Variable DepthwiseConvolution2D::forward(const Variable& x) {
  if (!W.is_initialized()) {
    const int64_t channels = channels_of(kName, x, 2);
    W.initialize(filter_shape(channel_multiplier_, channels, ksize_));
    if (b.defined()) b.initialize({channels * channel_multiplier_});
  }
  return functions::depthwise_convolution_2d(x, W, b,
                                             {.stride = stride_, .pad = pad_});
}

}  // namespace catena::links
