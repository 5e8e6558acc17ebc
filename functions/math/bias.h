#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct BiasOptions {
  int64_t axis = 1;
};

// x + y, where the axes of y are those of x from `axis` on and y is shared
// along the others, as in Caffe. Both floating, of one dtype. InvalidType.
Variable bias(const Variable& x, const Variable& y,
              const BiasOptions& options = {});

}  // namespace catena::functions
