#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct UnpoolingOptions {
  // Steps of the window; defaults to ksize.
  std::optional<Spatial> stride = std::nullopt;
  // Padding at each end, which is cut off.
  Spatial pad = 0;
  // The spatial extents of the result; defaults to the smallest possible.
  std::optional<Spatial> outsize = std::nullopt;
  // As max_pooling's, whose shapes this reverses.
  bool cover_all = true;
};

// Copies each element of x over its window; where windows overlap the copies
// add up. x is (N, C, d...), floating, the result (N, C, d'...), over which
// windows of ksize elements fit d times.
//
// InvalidType when x is not floating or has another number of axes, or when
// they fit another number of times; ValueError when sizes are out of range.
Variable unpooling_nd(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options = {});
// The same for one, two and three spatial axes.
Variable unpooling_1d(const Variable& x, int64_t ksize,
                      const UnpoolingOptions& options = {});
Variable unpooling_2d(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options = {});
Variable unpooling_3d(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options = {});

// Puts each element of x where its window had the maximum, and 0 elsewhere.
// indexes are max_pooling_2d's, int32 and of x's shape; an index outside its
// window or in padding puts nothing. x is (N, C, h, w).
//
// The errors of unpooling_nd, and ValueError when the indexes do not fit x.
Variable upsampling_2d(const Variable& x, const Array& indexes,
                       const Spatial& ksize,
                       const UnpoolingOptions& options = {});

}  // namespace catena::functions
