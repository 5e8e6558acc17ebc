#include "catena/array/image_order.h"

#include "catena/array/channels_last.h"

namespace catena::array {

Array channels_moved_last(const Array& images) {
  Axes axes = {0};
  for (int i = 2; i < images.ndim(); ++i) axes.push_back(i);
  axes.push_back(1);
  return images.transpose(axes);
}

Array as_channels_last(const Array& turned) {
  Axes axes = {0, turned.ndim() - 1};
  for (int i = 1; i + 1 < turned.ndim(); ++i) axes.push_back(i);
  return turned.transpose(axes);
}

bool keeps_channels_last(const Array& images) {
  // With three axes they are stacks of transposed matrices more often.
  if (images.is_contiguous() || images.device().is_native() ||
      images.ndim() < 4) {
    return false;
  }
  const Strides& strides = images.strides();
  if (strides[1] != images.itemsize()) return false;
  int64_t inner = strides[1] * images.shape()[1];
  for (int axis = images.ndim() - 1; axis >= 0; --axis) {
    if (axis == 1 || images.shape()[axis] == 1) continue;
    if (strides[axis] < inner) return false;
    inner = strides[axis] * images.shape()[axis];
  }
  return true;
}

Array empty_in_order_of(const Array& a, const Shape& shape, Dtype dtype) {
  return keeps_channels_last(a) ? empty_channels_last(shape, dtype, a.device())
                                : empty(shape, dtype, a.device());
}

}  // namespace catena::array
