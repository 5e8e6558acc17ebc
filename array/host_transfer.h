#pragma once

#include <memory>

#include "catena/array/array.h"

// Copies from the host to a device that run beside what the device computes.
namespace catena {

// A queue of such copies to one device. Calls come from one thread at a time.
class HostTransfer {
 public:
  // Waits for the copies that are not done.
  virtual ~HostTransfer() = default;
  HostTransfer(const HostTransfer&) = delete;
  HostTransfer& operator=(const HostTransfer&) = delete;

  // A copy of `x`, which is contiguous and lies where empty_pinned() puts it.
  // The copy starts at once; what this thread starts on the device from now on
  // waits for it, what it started before does not stand in its way. The queue
  // keeps `x` until the copy is done; nobody may change it before.
  virtual Array to_device(const Array& x) = 0;

 protected:
  HostTransfer() = default;
};

// What a backend does for that. The CUDA library installs its own when it is
// linked.
struct HostTransferBackend {
  // Uninitialized memory on native:0 that the backend's devices read by
  // themselves (page-locked memory). OutOfMemoryError.
  Array (*empty_pinned)(const Shape& shape, Dtype dtype);
  // Whether an array lies in such memory.
  bool (*is_pinned)(const Array& x);
  // DeviceError when there is no such device.
  std::unique_ptr<HostTransfer> (*open)(Device device);
};

// Null when the backend is not linked or has no device.
const HostTransferBackend* host_transfer_backend(Backend backend);
void set_host_transfer_backend(Backend backend,
                               const HostTransferBackend* table);

}  // namespace catena
