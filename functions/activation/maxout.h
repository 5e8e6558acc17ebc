#pragma once

#include <cstdint>

#include "catena/array/axis.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The maximum of each group of pool_size adjacent elements along an axis. x is
// floating; all elements equal to the maximum get the gradient. Throws
// ValueError unless pool_size > 0, InvalidType for an axis out of range or
// whose extent is not a multiple of pool_size. (Goodfellow et al., 2013.)
Variable maxout(const Variable& x, int64_t pool_size,
                const AxisOption& options = {.axis = 1});
template <class = void>
Variable maxout(const Variable& x, int64_t pool_size, Axis axis) {
  return maxout(x, pool_size, {.axis = axis});
}

}  // namespace catena::functions
