#include "catena/links/connection/convolution_nd.h"

#include "catena/functions/connection/convolution_nd.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "ConvolutionND";

std::optional<Shape> weight_shape(std::optional<int64_t> in_channels,
                                  const FilterOptions& options) {
  if (!in_channels) return std::nullopt;
  return filter_shape(options.out_channels, *in_channels / options.groups,
                      options.ksize);
}

}  // namespace

ConvolutionND::ConvolutionND(int ndim, std::optional<int64_t> in_channels,
                             int64_t out_channels, const Spatial& ksize,
                             const ConvolutionOptions& options)
    : options_(checked_options(kName, ndim, in_channels, out_channels, ksize,
                               options)),
      cover_all_(options.cover_all),
      W(this, "W", options.initialW, weight_shape(in_channels, options_)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_channels})) {}

Variable ConvolutionND::forward(const Variable& x) {
  const auto& [out_channels, ksize, stride, pad, dilate, groups] = options_;
  if (!W.is_initialized()) {
    const int64_t channels = channels_of(kName, x, ksize.size(), groups);
    W.initialize(filter_shape(out_channels, channels / groups, ksize));
  }
  return functions::convolution_nd(x, W, b,
                                   {.stride = stride,
                                    .pad = pad,
                                    .cover_all = cover_all_,
                                    .dilate = dilate,
                                    .groups = groups});
}

}  // namespace catena::links
