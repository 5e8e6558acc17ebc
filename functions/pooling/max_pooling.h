#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct MaxPoolingOptions {
  // Steps of the window; defaults to ksize.
  std::optional<Spatial> stride = std::nullopt;
  // Padding at each end, which is less than every element.
  Spatial pad = 0;
  // Whether a last window that runs over the end covers the rest.
  bool cover_all = true;
  // Where the positions of the maxima are put: their numbers within the
  // windows, in C order; int32, of y's shape.
  Array* return_indices = nullptr;
};

// The largest element of each window of ksize elements, one number for all
// spatial axes or one for each. x is (N, C, d...), floating, y (N, C, d'...)
// with d' of get_conv_outsize(); NaN counts as largest. Of equal elements the
// first one gets the gradient. A window without any element gives minus
// infinity.
//
// InvalidType when x is not floating, has another number of axes or is too
// small for a window; ValueError when sizes are out of range.
Variable max_pooling_nd(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options = {});
// The same for one, two and three spatial axes.
Variable max_pooling_1d(const Variable& x, int64_t ksize,
                        const MaxPoolingOptions& options = {});
Variable max_pooling_2d(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options = {});
Variable max_pooling_3d(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options = {});

// max_pooling_2d that keeps its parameters and the positions of the maxima for
// upsampling_2d:
//
//   MaxPooling2D pooling(2, {.stride = 2});
//   Variable y = pooling(x);
//   Variable z = upsampling_2d(y, pooling.indexes, pooling.ksize,
//                              {.stride = pooling.stride});
class MaxPooling2D {
 public:
  // return_indices of the options plays no role.
  explicit MaxPooling2D(const Spatial& ksize,
                        const MaxPoolingOptions& options = {});

  Variable operator()(const Variable& x);

  Spatial ksize;
  Spatial stride;
  Spatial pad;
  bool cover_all;
  Array indexes;  // of the last call
};

}  // namespace catena::functions
