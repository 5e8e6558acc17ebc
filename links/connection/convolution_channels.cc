#include "catena/links/connection/convolution_channels.h"

#include "catena/array/core/error.h"

namespace catena::links {

void check_spatial_axes(std::string_view link, int ndim) {
  if (ndim < 1 || ndim > kMaxDims - 2) {
    raise<ValueError>(link, ": expected ndim of 1 to ", kMaxDims - 2, ", got ",
                      ndim);
  }
}

void check_channels(std::string_view link, std::optional<int64_t> in_channels,
                    int64_t out_channels, int64_t groups) {
  if (groups < 1) {
    raise<ValueError>(link, ": expected groups of at least 1, got ", groups);
  }
  const int64_t in = in_channels.value_or(groups);
  if (in <= 0 || out_channels <= 0 || in % groups != 0 ||
      out_channels % groups != 0) {
    raise<ValueError>(link, ": expected positive multiples of ", groups,
                      " (groups) as in_channels and out_channels, got ", in,
                      " and ", out_channels);
  }
}

int64_t channels_of(std::string_view link, const Variable& x, int ndim,
                    int64_t groups) {
  if (x.ndim() != ndim + 2) {
    raise<InvalidType>(link, ": expected x of ", ndim + 2, " axes, got shape ",
                       x.shape());
  }
  const int64_t channels = x.shape()[1];
  if (channels == 0 || channels % groups != 0) {
    raise<InvalidType>(link, ": expected a positive multiple of ", groups,
                       " (groups) as channels of x, got shape ", x.shape());
  }
  return channels;
}

Shape filter_shape(int64_t first, int64_t second, const Shape& ksize) {
  Shape shape = {first, second};
  for (const int64_t size : ksize) shape.push_back(size);
  return shape;
}

}  // namespace catena::links
