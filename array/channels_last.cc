#include "catena/array/channels_last.h"

#include "catena/array/core/error.h"
#include "catena/array/image_order.h"

namespace catena::array {

bool is_channels_last(const Array& images) {
  return images.ndim() >= 2 && channels_moved_last(images).is_contiguous();
}

Array in_channels_last(const Array& images) {
  if (images.ndim() < 2) {
    raise<ShapeError>("in_channels_last: expected 2 or more axes, got shape ",
                      images.shape());
  }
  if (is_channels_last(images)) return images;
  Array reordered =
      empty_channels_last(images.shape(), images.dtype(), images.device());
  reordered.assign(images);
  return reordered;
}

Array empty_channels_last(const Shape& shape, Dtype dtype, Device device) {
  if (shape.size() < 2) {
    raise<ShapeError>(
        "empty_channels_last: expected 2 or more axes, got shape ", shape);
  }
  Shape reordered = shape;
  reordered.erase(1);
  reordered.push_back(shape[1]);
  return as_channels_last(empty(reordered, dtype, device));
}

// image_order.h

Array channels_moved_last(const Array& images) {
  Axes axes = {0};
  for (int i = 2; i < images.ndim(); ++i) axes.push_back(i);
  axes.push_back(1);
  return images.transpose(axes);
}

Array as_channels_last(const Array& reordered) {
  Axes axes = {0, reordered.ndim() - 1};
  for (int i = 1; i + 1 < reordered.ndim(); ++i) axes.push_back(i);
  return reordered.transpose(axes);
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
