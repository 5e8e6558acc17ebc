#include "catena/links/connection/convolution_nd.h"

#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "ConvolutionND";

}  // namespace

ConvolutionND::ConvolutionND(int ndim, std::optional<int64_t> in_channels,
                             int64_t out_channels, const Spatial& ksize,
                             const ConvolutionOptions& options)
    : out_channels_(out_channels),
      ksize_(checked_ksize(kName, ndim, in_channels, out_channels, ksize,
                           options)),
      options_{.stride = options.stride,
               .pad = options.pad,
               .cover_all = options.cover_all,
               .dilate = options.dilate,
               .groups = options.groups},
      W(this, "W", options.initialW,
        in_channels ? std::optional(weight_shape(*in_channels)) : std::nullopt),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})) {}

Shape ConvolutionND::weight_shape(int64_t in_channels) const {
  return filter_shape(out_channels_, in_channels / options_.groups, ksize_);
}

Variable ConvolutionND::forward(const Variable& x) {
  if (!W.is_initialized()) {
    W.initialize(
        weight_shape(channels_of(kName, x, ksize_.size(), options_.groups)));
  }
  return functions::convolution_nd(x, W, b, options_);
}

}  // namespace catena::links
