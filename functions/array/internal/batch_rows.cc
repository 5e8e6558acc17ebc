#include "catena/functions/array/internal/batch_rows.h"

#include "catena/array/core/error.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {

Variable batch_rows(std::string_view function, const Variable& x,
                    int64_t n_batch_axes) {
  if (n_batch_axes < 1) {
    raise<ValueError>(function, ": expected n_batch_axes of at least 1, got ",
                      n_batch_axes);
  }
  if (n_batch_axes == 1 && x.ndim() <= 2) return x;
  if (x.ndim() < n_batch_axes) {
    raise<ValueError>(function, ": expected x to have the ", n_batch_axes,
                      " axes of n_batch_axes, got shape ", x.shape());
  }
  // Not -1, which is ambiguous where there are no elements.
  int64_t rows = 1;
  int64_t size = 1;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    (axis < n_batch_axes ? rows : size) *= x.shape()[axis];
  }
  return reshape(x, {rows, size});
}

}  // namespace catena::functions
