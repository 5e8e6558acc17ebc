#include "catena/links/connection/deconvolution_nd.h"

#include "catena/array/error.h"
#include "catena/functions/connection/deconvolution_nd.h"
#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "DeconvolutionND";

// The arguments, checked.
std::optional<Shape> weight_shape(int ndim, std::optional<int64_t> in_channels,
                                  int64_t out_channels, const Spatial& ksize,
                                  const DeconvolutionOptions& options) {
  if (ndim < 1 || ndim > kMaxDims - 2) {
    raise<ValueError>(kName, ": expected ndim of 1 to ", kMaxDims - 2, ", got ",
                      ndim);
  }
  check_channels(kName, in_channels, out_channels, options.groups);
  const Shape size = ksize.on_axes(ndim, 1, kName, "ksize");
  options.stride.on_axes(ndim, 1, kName, "stride");
  options.pad.on_axes(ndim, 0, kName, "pad");
  options.dilate.on_axes(ndim, 1, kName, "dilate");
  if (options.outsize) options.outsize->on_axes(ndim, 1, kName, "outsize");
  if (!in_channels) return std::nullopt;
  return filter_shape(*in_channels, out_channels / options.groups, size);
}

}  // namespace

DeconvolutionND::DeconvolutionND(int ndim, std::optional<int64_t> in_channels,
                                 int64_t out_channels, const Spatial& ksize,
                                 const DeconvolutionOptions& options)
    : W(this, "W", options.initialW,
        weight_shape(ndim, in_channels, out_channels, ksize, options)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})),
      out_channels_(out_channels),
      ksize_(ksize.on_axes(ndim, 1, kName, "ksize")),
      stride_(options.stride),
      pad_(options.pad),
      outsize_(options.outsize),
      dilate_(options.dilate),
      groups_(options.groups) {}

Variable DeconvolutionND::forward(const Variable& x) {
  if (!W.is_initialized()) {
    const int64_t channels = channels_of(kName, x, ksize_.size(), groups_);
    W.initialize(filter_shape(channels, out_channels_ / groups_, ksize_));
  }
  return functions::deconvolution_nd(x, W, b,
                                     {.stride = stride_,
                                      .pad = pad_,
                                      .outsize = outsize_,
                                      .dilate = dilate_,
                                      .groups = groups_});
}

}  // namespace catena::links
