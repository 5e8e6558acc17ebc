#include "catena/functions/array/hstack.h"

#include "catena/functions/array/internal/join.h"

namespace catena::functions {

Variable hstack(std::span<const Variable> xs) {
  const int ndim = xs.empty() ? 1 : xs[0].ndim();
  if (ndim == 0) return join("hstack", xs, 0, JoinAxis::kNew);
  return join("hstack", xs, ndim == 1 ? 0 : 1);
}

}  // namespace catena::functions
