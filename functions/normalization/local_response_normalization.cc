#include "catena/functions/normalization/local_response_normalization.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/square.h"
#include "catena/functions/normalization/internal/local_response_normalization_ops.h"
#include "catena/functions/pooling/internal/window_maps.h"

namespace catena::functions {

Variable local_response_normalization(
    const Variable& x, const LocalResponseNormalizationOptions& options) {
  constexpr std::string_view kName = "local_response_normalization";
  if (options.n < 1) {
    raise<ValueError>(kName, ": expected n of at least 1, got ", options.n);
  }
  if (!is_floating(x.dtype()) || x.ndim() < 2) {
    raise<InvalidType>(kName, ": expected x floating with 2 axes or more, got ",
                       x.dtype(), " ", x.shape());
  }
  // Window sums over an image whose rows are the channels.
  const int64_t channels = x.shape()[1];
  // A window that is larger has no more channels in it.
  const int64_t reach = std::min(options.n / 2, channels);
  int64_t width = 1;
  for (int axis = 2; axis < x.ndim(); ++axis) width *= x.shape()[axis];
  const Shape image{x.shape()[0], 1, channels, width};
  const WindowCall call{.function = kName,
                        .ksize = {2 * reach + 1, 1},
                        .stride = Spatial(1),
                        .pad = {reach, 0},
                        .cover_all = false,
                        .ndim = 2};
  const Variable sums = x.size() == 0
                            ? square(x)
                            : reshape(sum_windows(reshape(square(x), image),
                                                  windows_over(image, call), 1),
                                      x.shape());
  return elementwise<LocalResponse>(
      {options.n, options.k, options.alpha, options.beta}, x, sums);
}

}  // namespace catena::functions
