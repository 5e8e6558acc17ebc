#include "catena/links/connection/deconvolution_nd.h"

#include "catena/functions/connection/deconvolution_nd.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "DeconvolutionND";

std::optional<Shape> weight_shape(std::optional<int64_t> in_channels,
                                  const FilterOptions& options) {
  if (!in_channels) return std::nullopt;
  return filter_shape(*in_channels, options.out_channels / options.groups,
                      options.ksize);
}

const std::optional<Spatial>& checked(const std::optional<Spatial>& outsize,
                                      int ndim) {
  if (outsize) outsize->on_axes(ndim, 1, kName, "outsize");
  return outsize;
}

}  // namespace

DeconvolutionND::DeconvolutionND(int ndim, std::optional<int64_t> in_channels,
                                 int64_t out_channels, const Spatial& ksize,
                                 const DeconvolutionOptions& options)
    : options_(checked_options(kName, ndim, in_channels, out_channels, ksize,
                               options)),
      outsize_(checked(options.outsize, ndim)),
      W(this, "W", options.initialW, weight_shape(in_channels, options_)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})) {}

Variable DeconvolutionND::forward(const Variable& x) {
  const auto& [out_channels, ksize, stride, pad, dilate, groups] = options_;
  if (!W.is_initialized()) {
    const int64_t channels = channels_of(kName, x, ksize.size(), groups);
    W.initialize(filter_shape(channels, out_channels / groups, ksize));
  }
  return functions::deconvolution_nd(x, W, b,
                                     {.stride = stride,
                                      .pad = pad,
                                      .outsize = outsize_,
                                      .dilate = dilate,
                                      .groups = groups});
}

}  // namespace catena::links
