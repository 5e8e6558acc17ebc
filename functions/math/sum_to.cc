#include "catena/functions/math/sum_to.h"

#include "catena/functions/internal/broadcasting.h"

namespace catena::functions {

Variable sum_to(const Variable& x, const Shape& shape) {
  return summed_to(x, shape);
}

}  // namespace catena::functions
