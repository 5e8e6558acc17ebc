#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ScaleOptions {
  int64_t axis = 1;
};

// x * y, where y's axes match x's from `axis` on and y broadcasts along the
// others, as in Caffe. Both have the same floating dtype, else InvalidType.
Variable scale(const Variable& x, const Variable& y,
               const ScaleOptions& options = {});

}  // namespace catena::functions
