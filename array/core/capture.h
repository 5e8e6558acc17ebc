#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "catena/array/core/device.h"

namespace catena {

// A graph of device work while it is captured (captured_work.h, or
// cuda/graph.h). What the host computes during the capture, such as the
// arguments of kernels, is part of the graph and stays what it was. For values
// that change from launch to launch, operations ask for device memory that is
// filled before every launch:
//
//   if (Capture* capture = current_capture(x.device())) {
//     const void* rate = capture->value(
//         sizeof(double), [this](void* value) { store(value, rate_); });
//     // launch a kernel that reads its rate from there
//   }
class Capture {
 public:
  virtual ~Capture() = default;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  Device device() const { return device_; }

  // `bytes` bytes on the device, aligned to 16, for kernels of the captured
  // work. `fill` is called on the host before each launch, and writes what the
  // kernels of that launch find there. It is not called during the capture.
  virtual void* value(int64_t bytes, std::function<void(void* value)> fill) = 0;
  // Calls a function on the host before each launch, such as one that counts
  // steps. Values and functions are called in the order in which they were
  // added.
  virtual void on_launch(std::function<void()> function) = 0;
  // Calls a function on the host when a launch fails once it has called or
  // filled what was added before the function: to take that back, such as a
  // step that was counted. It must not throw. The last one added is called
  // first.
  virtual void on_failed_launch(std::function<void()> function) = 0;
  // Keeps an object alive as long as the graph.
  virtual void keep(std::shared_ptr<const void> object) = 0;

 protected:
  explicit Capture(Device device) : device_(device) {}

 private:
  Device device_;
};

namespace internal {
extern constinit thread_local Capture* capture_of_thread;
}  // namespace internal

// The capture in this thread, of any device's work; null if there is none.
inline Capture* current_capture() { return internal::capture_of_thread; }
// The capture of the device's work in this thread; null if there is none.
inline Capture* current_capture(Device device) {
  Capture* capture = internal::capture_of_thread;
  return capture != nullptr && capture->device() == device ? capture : nullptr;
}

// Makes a capture the thread's current one for a scope. Throws DeviceError when
// there is one already.
class CaptureScope {
 public:
  explicit CaptureScope(Capture& capture);
  ~CaptureScope() { internal::capture_of_thread = nullptr; }
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;
};

}  // namespace catena
