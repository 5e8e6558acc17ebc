#include "catena/functions/math/min.h"

#include "catena/array/reduction/reduce.h"
#include "catena/functions/math/internal/extremum.h"

namespace catena::functions {

Variable min(const Variable& x, const MinOptions& options) {
  return extremum("min", array::min, x, options.axis, options.keepdims);
}

}  // namespace catena::functions
