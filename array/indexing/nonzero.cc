#include "catena/array/indexing/nonzero.h"

#include "catena/array/indexing/nonzero_kernel.h"
#include "catena/array/indexing/ravel_index.h"
#include "catena/array/reduction/reduce.h"

namespace catena::array {

Array flatnonzero(const Array& a) {
  const Array flags =
      a.astype(Dtype::kBool, Array::CopyPolicy::kIfNeeded).contiguous();
  const int64_t count = count_nonzero(flags).item<int64_t>();
  const Array positions = empty({count}, Dtype::kInt64, a.device());
  if (count > 0) {
    kernel_slot<NonzeroKernel>.on(a.device()).run(a.device(), flags.data<bool>(), flags.size(),
                                positions.data<int64_t>());
  }
  return positions;
}

std::vector<Array> nonzero(const Array& a) {
  const Array positions = flatnonzero(a);
  if (a.ndim() <= 1) return {positions};
  return unravel_index(positions, a.shape());
}

Array argwhere(const Array& a) {
  const Array positions = flatnonzero(a);
  const Array rows =
      empty({positions.size(), a.ndim()}, Dtype::kInt64, a.device());
  if (a.ndim() == 0 || rows.size() == 0) return rows;
  const std::vector<Array> columns = unravel_index(positions, a.shape());
  for (int axis = 0; axis < a.ndim(); ++axis) {
    rows.T()[axis].assign(columns[axis]);
  }
  return rows;
}

}  // namespace catena::array
