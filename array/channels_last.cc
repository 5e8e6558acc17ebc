#include "catena/array/channels_last.h"

#include "catena/array/error.h"
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
  Array turned =
      empty_channels_last(images.shape(), images.dtype(), images.device());
  turned.assign(images);
  return turned;
}

Array empty_channels_last(const Shape& shape, Dtype dtype, Device device) {
  if (shape.size() < 2) {
    raise<ShapeError>(
        "empty_channels_last: expected 2 or more axes, got shape ", shape);
  }
  Shape turned = shape;
  turned.erase(1);
  turned.push_back(shape[1]);
  return as_channels_last(empty(turned, dtype, device));
}

}  // namespace catena::array
