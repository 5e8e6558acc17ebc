#include "catena/functions/array/dstack.h"

#include "catena/functions/array/internal/join.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {

Variable dstack(std::span<const Variable> xs) {
  const int ndim = xs.empty() ? 3 : xs[0].ndim();
  if (ndim > 2) return join("dstack", xs, 2);
  // With the new axis last: (count,), (n, count) or (m, n, count).
  const Variable stacked = join("dstack", xs, -1, JoinAxis::kNew);
  Shape shape = stacked.shape();
  while (shape.ndim() < 3) shape.insert(0, 1);
  return reshape(stacked, shape);
}

}  // namespace catena::functions
