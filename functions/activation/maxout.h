#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct MaxoutOptions {
  int64_t axis = 1;
};

// The largest of each pool_size neighbours along an axis, whose extent it
// divides by pool_size. x floating; a gradient goes to all that are largest.
// ValueError unless pool_size > 0, InvalidType for an axis out of range or
// whose extent is no multiple of pool_size. (Goodfellow et al., 2013.)
Variable maxout(const Variable& x, int64_t pool_size,
                const MaxoutOptions& options = {});

}  // namespace catena::functions
