#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct UnpoolingOptions {
  NamedFieldsOnly keywords = {};
  // The step of the window; defaults to ksize.
  std::optional<Spatial> stride = std::nullopt;
  // Padding at each end, which is cut off.
  Spatial pad = 0;
  // The spatial extents of the result; defaults to the smallest possible.
  std::optional<Spatial> outsize = std::nullopt;
  // As in max_pooling, whose shapes this reverses.
  bool cover_all = true;
};

// Copies each element of x to all of its window; copies are summed where
// windows overlap. x is (N, C, d...), floating; the result is (N, C, d'...),
// the input size for which pooling with ksize gives d.
//
// Throws InvalidType when x is not floating or has the wrong number of axes, or
// when pooling does not map outsize to d; ValueError when sizes are out of
// range.
Variable unpooling_nd(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options = {});
// unpooling_nd with one spatial axis.
Variable unpooling_1d(const Variable& x, int64_t ksize,
                      const UnpoolingOptions& options = {});
// unpooling_nd with two spatial axes.
Variable unpooling_2d(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options = {});
// unpooling_nd with three spatial axes.
Variable unpooling_3d(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options = {});

// Writes each element of x to the position of its window's maximum, and 0
// elsewhere. indexes come from max_pooling_2d, int32 with x's shape; an index
// outside its window or in padding is ignored. x is (N, C, h, w).
//
// Throws like unpooling_nd, and ValueError when the indexes do not match x.
Variable upsampling_2d(const Variable& x, const Array& indexes,
                       const Spatial& ksize,
                       const UnpoolingOptions& options = {});

}  // namespace catena::functions
