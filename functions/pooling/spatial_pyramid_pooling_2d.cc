#include "catena/functions/pooling/spatial_pyramid_pooling_2d.h"

#include <vector>

#include "catena/array/core/error.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/pooling/max_pooling.h"

namespace catena::functions {

Variable spatial_pyramid_pooling_2d(
    const Variable& x, int64_t pyramid_height,
    const SpatialPyramidPooling2DOptions& options) {
  constexpr std::string_view kName = "spatial_pyramid_pooling_2d";
  if (pyramid_height < 1) {
    raise<ValueError>(kName, ": expected pyramid_height of at least 1, got ",
                      pyramid_height);
  }
  if (options.pooling != "max") {
    raise<ValueError>(kName, ": expected pooling \"max\", got \"",
                      options.pooling, "\"");
  }
  if (!is_floating(x.dtype()) || x.ndim() != 4) {
    raise<InvalidType>(kName, ": expected x floating with 4 axes, got ",
                       x.dtype(), " ", x.shape());
  }
  const auto ceil_divide = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  std::vector<Variable> levels;
  for (int64_t level = 0; level < pyramid_height; ++level) {
    const int64_t bins = int64_t{1} << level;
    Shape ksize;
    Shape pad;
    for (const int64_t extent : {x.shape()[2], x.shape()[3]}) {
      ksize.push_back(ceil_divide(extent, bins));
      pad.push_back((ksize.back() * bins - extent) / 2);
    }
    const Variable y =
        max_pooling_2d(x, ksize, {.pad = pad, .cover_all = true});
    levels.push_back(
        reshape(y, {x.shape()[0], x.shape()[1] * bins * bins, 1, 1}));
  }
  return concat(levels);
}

}  // namespace catena::functions
