#pragma once

#include "catena/array/device.h"

namespace catena::internal {

// Called when the calling thread's current device changes, or is set again,
// unless both are native: CUDA has a current device of its own.
using DeviceObserver = void(Device from, Device to) noexcept;
void set_device_observer(DeviceObserver* observer) noexcept;

}  // namespace catena::internal
