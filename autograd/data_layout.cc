#include "catena/autograd/data_layout.h"

#include "catena/array/channels_last.h"
#include "catena/array/image_order.h"

namespace catena {

bool has_channels_last(const Array& data) {
  return !data.is_contiguous() && array::is_channels_last(data);
}

Array empty_in_layout_of(const Array& data, Dtype dtype, Device device) {
  return has_channels_last(data)
             ? array::empty_channels_last(data.shape(), dtype, device)
             : array::empty(data.shape(), dtype, device);
}

Array copy_in_layout(const Array& data, Device device) {
  const auto copied = [&](const Array& dense) {
    return device == dense.device() ? dense.copy() : dense.to_device(device);
  };
  return has_channels_last(data)
             ? array::as_channels_last(copied(array::channels_moved_last(data)))
             : copied(data);
}

}  // namespace catena
