#include "catena/functions/math/sum_to.h"

#include "catena/functions/math/internal/broadcasting.h"

namespace catena::functions {

Variable sum_to(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return apply<SumTo>({x}, shape);
}

}  // namespace catena::functions
