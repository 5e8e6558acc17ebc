#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/core/shape.h"
#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::links {

// Helpers shared by links with filters.

// Throws ValueError naming the link unless arrays can have that many spatial
// axes.
void check_spatial_axes(std::string_view link, int ndim);

// Throws ValueError naming the link unless groups is positive and the channels
// are positive multiples of it.
void check_channels(std::string_view link, std::optional<int64_t> in_channels,
                    int64_t out_channels, int64_t groups = 1);

// The channels of x (N, C, d...), to initialize W at the first call. Throws
// InvalidType unless x has `ndim` spatial axes and groups divides C.
int64_t channels_of(std::string_view link, const Variable& x, int ndim,
                    int64_t groups = 1);

// The shape of W: (first, second, k...).
Shape filter_shape(int64_t first, int64_t second, const Shape& ksize);

// ksize for `ndim` spatial axes. Throws ValueError naming the link when ksize,
// the channels or an option (ConvolutionOptions, DeconvolutionOptions) is out
// of range.
template <class Options>
Shape checked_ksize(std::string_view link, int ndim,
                    std::optional<int64_t> in_channels, int64_t out_channels,
                    const functions::Spatial& ksize, const Options& options) {
  check_spatial_axes(link, ndim);
  check_channels(link, in_channels, out_channels, options.groups);
  options.stride.on_axes(ndim, 1, link, "stride");
  options.pad.on_axes(ndim, 0, link, "pad");
  options.dilate.on_axes(ndim, 1, link, "dilate");
  return ksize.on_axes(ndim, 1, link, "ksize");
}

}  // namespace catena::links
