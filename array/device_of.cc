#include "catena/array/device_of.h"

namespace catena {

Device get_device_from_id(std::optional<int> id) {
  return id.value_or(-1) < 0 ? native_device() : cuda_device(*id);
}

}  // namespace catena
