#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct AveragePoolingOptions {
  // Steps of the window; defaults to ksize.
  std::optional<Spatial> stride = std::nullopt;
  // Padding at each end.
  Spatial pad = 0;
  // What padding counts as: 0, or nothing at all, so that the mean is over the
  // elements of x in the window.
  std::optional<double> pad_value = 0;
};

// The mean of each window of ksize elements, one number for all spatial axes or
// one for each. x is (N, C, d...), floating, y (N, C, d'...) with d' of
// get_conv_outsize(), without cover_all. Windows all in padding give NaN where
// it does not count.
//
// InvalidType when x is not floating, has another number of axes or is too
// small for a window; ValueError when sizes are out of range or pad_value is
// another number.
Variable average_pooling_nd(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options = {});
// The same for one, two and three spatial axes.
Variable average_pooling_1d(const Variable& x, int64_t ksize,
                            const AveragePoolingOptions& options = {});
Variable average_pooling_2d(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options = {});
Variable average_pooling_3d(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options = {});

}  // namespace catena::functions
