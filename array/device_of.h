#pragma once

#include <concepts>
#include <optional>

#include "catena/array/array.h"

// Chainer's device look-up. Its dummy device, for arrays on the host, is
// native_device() here, an ordinary device.
namespace catena {

// The GPU with this index; native:0 for nullopt and, as is customary in Chainer
// programs, for a negative index. Does not check that the GPU exists.
inline Device get_device_from_id(std::optional<int> id) {
  return id.value_or(-1) < 0 ? native_device() : cuda_device(*id);
}

// The device of the first array on a GPU, else of the first array, else
// native:0.
template <class... Arrays>
requires(std::same_as<Arrays, Array>&&...) Device
    get_device_from_array(const Arrays&... arrays) {
  Device device = native_device();
  bool found = false;
  [[maybe_unused]] const auto look_at = [&](const Array& a) {
    if (!found || (device.is_native() && !a.device().is_native())) {
      device = a.device();
    }
    found = true;
  };
  (look_at(arrays), ...);
  return device;
}

// The device given by an index, an array or a device.
inline Device get_device(std::optional<int> id) {
  return get_device_from_id(id);
}
inline Device get_device(int id) { return get_device_from_id(id); }
inline Device get_device(const Array& a) { return a.device(); }
inline Device get_device(Device device) { return device; }
// A bool would otherwise convert to an index.
Device get_device(bool) = delete;

}  // namespace catena
