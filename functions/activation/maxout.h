#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct MaxoutOptions {
  int64_t axis = 1;
};

// The maximum of each group of pool_size adjacent elements along an axis. x is
// floating; all elements equal to the maximum get the gradient. Throws
// ValueError unless pool_size > 0, InvalidType for an axis out of range or
// whose extent is not a multiple of pool_size. (Goodfellow et al., 2013.)
Variable maxout(const Variable& x, int64_t pool_size,
                const MaxoutOptions& options = {});

}  // namespace catena::functions
