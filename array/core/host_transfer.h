#pragma once

#include <cstdint>

#include "catena/array/core/storage.h"

namespace catena {

// A queue of copies from page-locked host memory to one device, which overlap
// with its computation (backend.h opens them). Not thread-safe.
class HostTransfer {
 public:
  // Waits for pending copies.
  virtual ~HostTransfer() = default;
  HostTransfer(const HostTransfer&) = delete;
  HostTransfer& operator=(const HostTransfer&) = delete;

  // Copies `bytes` bytes at `data`, which `owner` keeps alive, to new memory of
  // the device. The copy does not wait for work already submitted to the
  // device; work that this thread submits from now on waits for the copy. The
  // queue holds `owner` until the copy is done; the bytes must not be modified
  // before. Throws DeviceError in a capture of the device, which stays valid.
  virtual Ref<Storage> to_device(const void* data, int64_t bytes,
                                 const Ref<Storage>& owner) = 0;

 protected:
  HostTransfer() = default;
};

}  // namespace catena
