#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct AveragePoolingOptions {
  NamedFieldsOnly keywords = {};
  // The step of the window; defaults to ksize.
  std::optional<Spatial> stride = std::nullopt;
  // Padding at each end.
  Spatial pad = 0;
  // The value of padding: 0, or nullopt to average only the elements of x in
  // the window.
  std::optional<double> pad_value = 0;
};

// The mean of each window of size ksize, over any number of spatial axes. x is
// (N, C, d...), floating; y is (N, C, d'...) with d' given by get_conv_outsize,
// without cover_all. With pad_value nullopt, windows entirely in padding give
// NaN.
//
// Throws InvalidType when x is not floating, has the wrong number of axes or is
// smaller than the window; ValueError when sizes are out of range or pad_value
// is any other value.
Variable average_pooling_nd(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options = {});
// average_pooling_nd with one spatial axis.
Variable average_pooling_1d(const Variable& x, int64_t ksize,
                            const AveragePoolingOptions& options = {});
// average_pooling_nd with two spatial axes.
Variable average_pooling_2d(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options = {});
// average_pooling_nd with three spatial axes.
Variable average_pooling_3d(const Variable& x, const Spatial& ksize,
                            const AveragePoolingOptions& options = {});

}  // namespace catena::functions
