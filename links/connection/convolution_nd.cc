#include "catena/links/connection/convolution_nd.h"

#include "catena/array/error.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "ConvolutionND";

// The arguments, checked.
std::optional<Shape> weight_shape(int ndim, std::optional<int64_t> in_channels,
                                  int64_t out_channels, const Spatial& ksize,
                                  const ConvolutionOptions& options) {
  if (ndim < 1 || ndim > kMaxDims - 2) {
    raise<ValueError>(kName, ": expected ndim of 1 to ", kMaxDims - 2, ", got ",
                      ndim);
  }
  check_channels(kName, in_channels, out_channels, options.groups);
  const Shape size = ksize.on_axes(ndim, 1, kName, "ksize");
  options.stride.on_axes(ndim, 1, kName, "stride");
  options.pad.on_axes(ndim, 0, kName, "pad");
  options.dilate.on_axes(ndim, 1, kName, "dilate");
  if (!in_channels) return std::nullopt;
  return filter_shape(out_channels, *in_channels / options.groups, size);
}

}  // namespace

ConvolutionND::ConvolutionND(int ndim, std::optional<int64_t> in_channels,
                             int64_t out_channels, const Spatial& ksize,
                             const ConvolutionOptions& options)
    : W(this, "W", options.initialW,
        weight_shape(ndim, in_channels, out_channels, ksize, options)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})),
      out_channels_(out_channels),
      ksize_(ksize.on_axes(ndim, 1, kName, "ksize")),
      stride_(options.stride),
      pad_(options.pad),
      cover_all_(options.cover_all),
      dilate_(options.dilate),
      groups_(options.groups) {}

Variable ConvolutionND::forward(const Variable& x) {
  if (!W.is_initialized()) {
    const int64_t channels = channels_of(kName, x, ksize_.size(), groups_);
    W.initialize(filter_shape(out_channels_, channels / groups_, ksize_));
  }
  return functions::convolution_nd(x, W, b,
                                   {.stride = stride_,
                                    .pad = pad_,
                                    .cover_all = cover_all_,
                                    .dilate = dilate_,
                                    .groups = groups_});
}

}  // namespace catena::links
