#include "catena/functions/math/max.h"

#include "catena/array/reduction/reduce.h"
#include "catena/functions/math/internal/extremum.h"

namespace catena::functions {

Variable max(const Variable& x, const MaxOptions& options) {
  return extremum("max", array::max, x, options.axis, options.keepdims);
}

}  // namespace catena::functions
