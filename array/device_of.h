#pragma once

#include <concepts>
#include <optional>

#include "catena/array/array.h"

// Chainer's ways to tell a device. What it calls the dummy device, for arrays
// on the host, is native_device(): a DeviceScope of it works like any other.
namespace catena {

// The GPU of an index; native:0 for none and, as in Chainer's programs, for a
// negative one. Whether it exists is found out when it is used.
Device get_device_from_id(std::optional<int> id);

// The device of the first array that is on a GPU, else that of the first array,
// else native:0.
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

// The device that is meant by an index, an array or a device.
inline Device get_device(std::optional<int> id) {
  return get_device_from_id(id);
}
inline Device get_device(int id) { return get_device_from_id(id); }
inline Device get_device(const Array& a) { return a.device(); }
inline Device get_device(Device device) { return device; }
// No device has a truth value.
Device get_device(bool) = delete;

}  // namespace catena
