#include "catena/array/indexing/ravel_index.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/indexing/index_check.h"
#include "catena/array/indexing/offset_ops.h"
#include "catena/array/kernels/kernel_slot.h"

namespace catena::array {

std::vector<Array> unravel_index(const Array& positions, const Shape& shape) {
  const int64_t size = checked_size(shape, 1, "unravel_index");
  const Array plain = index_array(positions, "unravel_index");
  if (const auto bad =
          find_bad_index(plain, {.extent = size, .negative = false})) {
    raise<IndexError>("unravel_index: position ", *bad,
                      " is out of range for shape ", shape, " of size ", size);
  }
  std::vector<Array> indices;
  int64_t divisor = size;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    const Array index = empty(plain.shape(), Dtype::kInt64, plain.device());
    if (plain.size() > 0) {
      divisor /= shape[axis];
      const UnravelOp op{divisor, shape[axis]};
      const KernelOperand operands[] = {plain, index};
      run_elementwise(kernel_slot<OffsetFamily, UnravelOp>, Dtype::kInt64,
                      operands, &op);
    }
    indices.push_back(index);
  }
  return indices;
}

Array ravel_multi_index(std::span<const Array> indices, const Shape& shape,
                        const IndexModeOptions& options) {
  constexpr std::string_view kName = "ravel_multi_index";
  const int64_t size = checked_size(shape, 1, kName);
  if (static_cast<int>(indices.size()) != shape.ndim() || indices.empty()) {
    raise<ValueError>(kName, ": expected an index array for each axis of ",
                      shape, ", got ", static_cast<int64_t>(indices.size()));
  }
  if (options.mode == IndexMode::kSkip) {
    raise<ValueError>(kName, ": expected a mode other than kSkip");
  }
  std::vector<const Array*> all;
  Shape common = indices[0].shape();
  for (const Array& index : indices) {
    all.push_back(&index);
    common = broadcast_shapes(common, index.shape(), kName);
  }
  const Device device = common_device(all, kName);
  std::vector<Array> plain;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    plain.push_back(index_array(indices[axis], kName));
    // No mode can resolve an index into an empty axis.
    if (options.mode == IndexMode::kRaise || shape[axis] == 0) {
      check_index(plain.back(), axis,
                  {.extent = shape[axis], .negative = false}, kName);
    }
  }
  const Array positions = zeros(common, Dtype::kInt64, device);
  if (positions.size() == 0) return positions;
  int64_t stride = size;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    stride /= shape[axis];
    const AddOffsetOp op{shape[axis], stride, 0, options.mode};
    const KernelOperand operands[] = {plain[axis], positions};
    run_elementwise(kernel_slot<OffsetFamily, AddOffsetOp>, Dtype::kInt64,
                    operands, &op);
  }
  return positions;
}

}  // namespace catena::array
