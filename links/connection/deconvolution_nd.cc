#include "catena/links/connection/deconvolution_nd.h"

#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "DeconvolutionND";

const std::optional<Spatial>& checked(const std::optional<Spatial>& outsize,
                                      int ndim) {
  if (outsize) outsize->on_axes(ndim, 1, kName, "outsize");
  return outsize;
}

}  // namespace

DeconvolutionND::DeconvolutionND(int ndim, std::optional<int64_t> in_channels,
                                 int64_t out_channels, const Spatial& ksize,
                                 const DeconvolutionOptions& options)
    : out_channels_(out_channels),
      ksize_(checked_ksize(kName, ndim, in_channels, out_channels, ksize,
                           options)),
      options_{.stride = options.stride,
               .pad = options.pad,
               .outsize = checked(options.outsize, ndim),
               .dilate = options.dilate,
               .groups = options.groups},
      W(this, "W", options.initialW,
        in_channels ? std::optional(weight_shape(*in_channels)) : std::nullopt),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})) {}

Shape DeconvolutionND::weight_shape(int64_t in_channels) const {
  return filter_shape(in_channels, out_channels_ / options_.groups, ksize_);
}

Variable DeconvolutionND::forward(const Variable& x) {
  if (!W.is_initialized()) {
    W.initialize(
        weight_shape(channels_of(kName, x, ksize_.size(), options_.groups)));
  }
  return functions::deconvolution_nd(x, W, b, options_);
}

}  // namespace catena::links
