#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "catena/array/core/device.h"

namespace catena::cuda {

// This thread's Handle for the device, created by Handle(device) on first use.
// Library handles are expensive to create and must not be used by two threads
// at a time: handles of threads that have ended are reused. They are never
// destroyed, since the library may be unloaded first.
template <class Handle>
Handle& thread_handle(int device) {
  using Handles = std::vector<std::unique_ptr<Handle>>;
  struct Shared {
    std::mutex mutex;
    std::array<Handles, kMaxDevices> idle;
  };
  static Shared& shared = *new Shared;
  struct Held {
    std::array<std::unique_ptr<Handle>, kMaxDevices> handles;
    ~Held() {
      std::lock_guard lock(shared.mutex);
      for (int i = 0; i < kMaxDevices; ++i) {
        if (handles[i]) shared.idle[i].push_back(std::move(handles[i]));
      }
    }
  };
  thread_local Held held;
  std::unique_ptr<Handle>& handle = held.handles[device];
  if (!handle) {
    std::lock_guard lock(shared.mutex);
    if (Handles& idle = shared.idle[device]; !idle.empty()) {
      handle = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!handle) handle = std::make_unique<Handle>(device);
  return *handle;
}

}  // namespace catena::cuda
