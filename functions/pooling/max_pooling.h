#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct MaxPoolingOptions {
  NamedFieldsOnly keywords = {};
  // The step of the window; defaults to ksize.
  std::optional<Spatial> stride = std::nullopt;
  // Padding at each end, which never is the maximum.
  Spatial pad = 0;
  // Includes a last window that extends beyond the end.
  bool cover_all = true;
  // If set, receives the indices of the maxima within their windows, in C
  // order; int32, with y's shape.
  Array* return_indices = nullptr;
};

// The maximum of each window of size ksize, over any number of spatial axes. x
// is (N, C, d...), floating; y is (N, C, d'...) with d' given by
// get_conv_outsize. NaN counts as the largest value. The first of equal
// elements gets the gradient. A window entirely in padding gives -inf.
//
// Throws InvalidType when x is not floating, has the wrong number of axes or is
// smaller than the window; ValueError when sizes are out of range.
Variable max_pooling_nd(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options = {});
// max_pooling_nd with one spatial axis.
Variable max_pooling_1d(const Variable& x, int64_t ksize,
                        const MaxPoolingOptions& options = {});
// max_pooling_nd with two spatial axes.
Variable max_pooling_2d(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options = {});
// max_pooling_nd with three spatial axes.
Variable max_pooling_3d(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options = {});

// max_pooling_2d that keeps its parameters and the indices of the maxima for
// upsampling_2d:
//
//   MaxPooling2D pooling(2, {.stride = 2});
//   Variable y = pooling(x);
//   Variable z = upsampling_2d(y, pooling.indexes, pooling.ksize,
//                              {.stride = pooling.stride});
class MaxPooling2D {
 public:
  // Ignores options.return_indices.
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
