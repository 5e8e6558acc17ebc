#pragma once

#include <functional>
#include <memory>

#include "catena/array/core/device.h"

namespace catena {

// Device work that was captured once and is launched by a single call; see
// capture_work().
class CapturedWork {
 public:
  // Waits for the device.
  virtual ~CapturedWork() = default;
  CapturedWork(const CapturedWork&) = delete;
  CapturedWork& operator=(const CapturedWork&) = delete;

  // Launches the work on the device's current stream. Throws DeviceError.
  virtual void launch() = 0;

 protected:
  CapturedWork() = default;
};

// Calls `work` once and captures what it submits to a GPU, without running it:
// a CUDA graph, with what cuda/graph.h says of it. With `other`, work of the
// same device that was captured before, it takes memory that is free there,
// such as that of temporaries: the two must not run at the same time. Throws
// NotImplementedError for a device that cannot capture, such as the CPU, and
// DeviceError when `work` waits for the device; passes on exceptions of `work`.
std::unique_ptr<CapturedWork> capture_work(Device device,
                                           const std::function<void()>& work,
                                           const CapturedWork* other = nullptr);

// Whether a device can capture work: it is a GPU.
bool can_capture(Device device);

}  // namespace catena
