#include "catena/links/connection/deformable_convolution_2d.h"

#include "catena/functions/connection/deformable_convolution_2d_sampler.h"
#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "DeformableConvolution2D";

std::optional<Shape> weight_shape(std::optional<int64_t> in_channels,
                                  int64_t out_channels, const Spatial& ksize,
                                  const ConvolutionOptions& options) {
  check_channels(kName, in_channels, out_channels);
  const Shape size = ksize.on_axes(2, 1, kName, "ksize");
  options.stride.on_axes(2, 1, kName, "stride");
  options.pad.on_axes(2, 0, kName, "pad");
  if (!in_channels) return std::nullopt;
  return filter_shape(out_channels, *in_channels, size);
}

}  // namespace

DeformableConvolution2DSampler::DeformableConvolution2DSampler(
    std::optional<int64_t> in_channels, int64_t out_channels,
    const Spatial& ksize, const ConvolutionOptions& options)
    : W(this, "W", options.initialW,
        weight_shape(in_channels, out_channels, ksize, options)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})),
      out_channels_(out_channels),
      ksize_(ksize.on_axes(2, 1, kName, "ksize")),
      stride_(options.stride),
      pad_(options.pad) {}

Variable DeformableConvolution2DSampler::forward(const Variable& x,
                                                 const Variable& offset) {
  if (!W.is_initialized()) {
    W.initialize(filter_shape(out_channels_, channels_of(kName, x, 2), ksize_));
  }
  return functions::deformable_convolution_2d_sampler(
      x, offset, W, b, {.stride = stride_, .pad = pad_});
}

DeformableConvolution2D::DeformableConvolution2D(
    std::optional<int64_t> in_channels, int64_t out_channels,
    const Spatial& ksize, const DeformableConvolution2DOptions& options)
    : offset_conv(
          this, "offset_conv", in_channels,
          2 * size_of(ksize.on_axes(2, 1, kName, "ksize")), ksize,
          ConvolutionOptions{.stride = options.stride,
                             .pad = options.pad,
                             .nobias = options.offset_nobias,
                             .initialW = options.offset_initialW,
                             .initial_bias = options.offset_initial_bias}),
      deform_conv(
          this, "deform_conv", in_channels, out_channels, ksize,
          ConvolutionOptions{.stride = options.stride,
                             .pad = options.pad,
                             .nobias = options.deform_nobias,
                             .initialW = options.deform_initialW,
                             .initial_bias = options.deform_initial_bias}) {}

Variable DeformableConvolution2D::forward(const Variable& x) {
  return deform_conv(x, offset_conv(x));
}

}  // namespace catena::links
