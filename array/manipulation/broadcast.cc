#include "catena/array/manipulation/broadcast.h"

namespace catena::array {

Broadcast::Broadcast(std::span<const Array> arrays) {
  for (const Array& a : arrays) {
    shape_ = broadcast_shapes(shape_, a.shape(), "broadcast");
  }
  for (const Array& a : arrays) values_.push_back(a.broadcast_to(shape_));
}

std::vector<Array> broadcast_arrays(std::span<const Array> arrays) {
  return Broadcast(arrays).values();
}

}  // namespace catena::array
