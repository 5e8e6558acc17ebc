#include "catena/links/connection/local_convolution_2d.h"

#include "catena/array/core/error.h"
#include "catena/functions/connection/local_convolution_2d.h"
#include "catena/links/connection/convolution_channels.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "LocalConvolution2D";

// The number of output positions. Throws E unless positive.
template <class E>
Shape out_size_of(const Shape& in_size, const Shape& ksize,
                  const Spatial& stride) {
  const Shape step = stride.on_axes(2, 1, kName, "stride");
  Shape size;
  for (int i = 0; i < 2; ++i) {
    size.push_back(
        functions::get_conv_outsize(in_size[i], ksize[i], step[i], 0));
    if (size[i] < 1) {
      raise<E>(kName, ": expected an image no smaller than the window ", ksize,
               ", got ", in_size);
    }
  }
  return size;
}

Shape bias_shape_of(int64_t out_channels, const Shape& out_size) {
  return {out_channels, out_size[0], out_size[1]};
}

Shape weight_shape_of(int64_t out_channels, const Shape& out_size,
                      int64_t in_channels, const Shape& ksize) {
  return {out_channels, out_size[0], out_size[1],
          in_channels,  ksize[0],    ksize[1]};
}

std::optional<Shape> bias_shape(int64_t out_channels,
                                const std::optional<Spatial>& in_size,
                                const Spatial& ksize, const Spatial& stride) {
  const Shape window = ksize.on_axes(2, 1, kName, "ksize");
  stride.on_axes(2, 1, kName, "stride");
  if (!in_size) return std::nullopt;
  const Shape size = in_size->on_axes(2, 1, kName, "in_size");
  return bias_shape_of(out_channels,
                       out_size_of<ValueError>(size, window, stride));
}

std::optional<Shape> weight_shape(std::optional<int64_t> in_channels,
                                  int64_t out_channels,
                                  const std::optional<Spatial>& in_size,
                                  const Spatial& ksize, const Spatial& stride) {
  check_channels(kName, in_channels, out_channels);
  const auto places = bias_shape(out_channels, in_size, ksize, stride);
  if (!places || !in_channels) return std::nullopt;
  return weight_shape_of(out_channels, {(*places)[1], (*places)[2]},
                         *in_channels, ksize.on_axes(2, 1, kName, "ksize"));
}

}  // namespace

LocalConvolution2D::LocalConvolution2D(std::optional<int64_t> in_channels,
                                       int64_t out_channels,
                                       std::optional<Spatial> in_size,
                                       const Spatial& ksize,
                                       const LocalConvolution2DOptions& options)
    : W(this, "W", options.initialW,
        weight_shape(in_channels, out_channels, in_size, ksize,
                     options.stride)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias,
                    bias_shape(out_channels, in_size, ksize, options.stride))),
      out_channels_(out_channels),
      ksize_(ksize.on_axes(2, 1, kName, "ksize")),
      stride_(options.stride) {}

Variable LocalConvolution2D::forward(const Variable& x) {
  if (!W.is_initialized()) {
    const int64_t channels = channels_of(kName, x, 2);
    const Shape out_size =
        out_size_of<InvalidType>({x.shape()[2], x.shape()[3]}, ksize_, stride_);
    W.initialize(weight_shape_of(out_channels_, out_size, channels, ksize_));
    if (b.defined()) b.initialize(bias_shape_of(out_channels_, out_size));
  }
  return functions::local_convolution_2d(x, W, b, {.stride = stride_});
}

}  // namespace catena::links
