#include "catena/functions/pooling/average_pooling.h"

#include <algorithm>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/pooling/internal/window_maps.h"

namespace catena::functions {
namespace {

// 1 / (elements of x in each window), to be multiplied by the window's sum.
Array inverse_counts(const WindowArgs& w, const Variable& x) {
  Array counts = array::ones({1, 1}, x.dtype(), x.device());
  for (int d = 0; d < w.ndim; ++d) {
    std::vector<double> inverse;
    for (int64_t o = 0; o < w.out[d]; ++o) {
      const int64_t first = o * w.stride[d] - w.pad[d];
      const int64_t count =
          std::min(first + w.size[d], w.in[d]) - std::max<int64_t>(first, 0);
      inverse.push_back(1.0 / static_cast<double>(std::max<int64_t>(count, 0)));
    }
    const Array along = array::array(inverse).astype(x.dtype());
    counts = counts.expand_dims(-1) * along.to_device(x.device());
  }
  return counts;
}

Variable average_pooling(const Variable& x, const Spatial& ksize,
                         const AveragePoolingOptions& options,
                         std::string_view function, std::optional<int> ndim) {
  if (options.pad_value.value_or(0) != 0) {
    raise<ValueError>(function, ": expected pad_value 0 or none, got ",
                      *options.pad_value);
  }
  const WindowCall call{.function = function,
                        .ksize = ksize,
                        .stride = options.stride,
                        .pad = options.pad,
                        .cover_all = false,
                        .ndim = ndim};
  const VariableRef inputs[] = {x};
  TypeCheck check(function, inputs);
  check_window_types(check, call);
  const WindowArgs window = windows_over(x.shape(), call);
  if (!options.pad_value) {
    return sum_windows(x, window, 1) * inverse_counts(window, x);
  }
  return sum_windows(x, window, 1.0 / static_cast<double>(taps_of(window)));
}

}  // namespace

Variable average_pooling_nd(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options) {
  return average_pooling(x, ksize, options, "average_pooling_nd", std::nullopt);
}

Variable average_pooling_1d(const Variable& x, int64_t ksize,
                            const AveragePoolingOptions& options) {
  return average_pooling(x, ksize, options, "average_pooling_1d", 1);
}

Variable average_pooling_2d(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options) {
  return average_pooling(x, ksize, options, "average_pooling_2d", 2);
}

Variable average_pooling_3d(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options) {
  return average_pooling(x, ksize, options, "average_pooling_3d", 3);
}

}  // namespace catena::functions
