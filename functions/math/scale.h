#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ScaleOptions {
  int64_t axis = 1;
};

// x times y, where the axes of y are those of x from `axis` on and y is shared
// along the others, as in Caffe. Both floating, of one dtype. InvalidType.
Variable scale(const Variable& x, const Variable& y,
               const ScaleOptions& options = {});

}  // namespace catena::functions
