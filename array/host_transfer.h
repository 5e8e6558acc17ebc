#pragma once

#include <memory>

#include "catena/array/array.h"

// Copies from the host to a device that overlap with its computation.
namespace catena {

// A queue of copies to one device. Not thread-safe.
class HostTransfer {
 public:
  // Waits for pending copies.
  virtual ~HostTransfer() = default;
  HostTransfer(const HostTransfer&) = delete;
  HostTransfer& operator=(const HostTransfer&) = delete;

  // Copies `x`, which must be contiguous and in memory from empty_pinned(). The
  // copy does not wait for work already submitted to the device; work that this
  // thread submits from now on waits for the copy. The queue keeps `x` alive
  // until the copy is done; `x` must not be modified before. Throws DeviceError
  // in a capture of the device, which stays valid.
  virtual Array to_device(const Array& x) = 0;

 protected:
  HostTransfer() = default;
};

// The transfer functions of a backend. The CUDA library installs its own when
// linked.
struct HostTransferBackend {
  // An uninitialized array on native:0 in page-locked memory, which the
  // backend's devices access directly. Throws OutOfMemoryError.
  Array (*empty_pinned)(const Shape& shape, Dtype dtype);
  // Whether an array is in page-locked memory.
  bool (*is_pinned)(const Array& x);
  // Throws DeviceError if the device does not exist.
  std::unique_ptr<HostTransfer> (*open)(Device device);
};

// Null if the backend is not linked or has no device.
const HostTransferBackend* host_transfer_backend(Backend backend);
void set_host_transfer_backend(Backend backend,
                               const HostTransferBackend* table);

}  // namespace catena
