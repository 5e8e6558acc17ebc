#include "catena/functions/array/vstack.h"

#include "catena/functions/array/internal/join.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {

Variable vstack(std::span<const Variable> xs) {
  const int ndim = xs.empty() ? 2 : xs[0].ndim();
  if (ndim > 1) return join("vstack", xs, 0);
  const Variable rows = join("vstack", xs, 0, JoinAxis::kNew);
  return ndim == 1 ? rows : reshape(rows, {rows.size(), 1});
}

}  // namespace catena::functions
