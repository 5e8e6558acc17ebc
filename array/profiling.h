#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "catena/array/device.h"

// Backend functions for profilers such as //autograd/function_hooks.
namespace catena {

// A place in a stream of a device.
class DeviceMark {
 public:
  virtual ~DeviceMark() = default;
  // The device, and its stream if that is not the default: "cuda:0".
  virtual std::string stream_name() const = 0;
  // Waits until the device has got here.
  virtual void wait() const = 0;
  // The nanoseconds from an earlier mark of the same device to this one, after
  // wait().
  virtual int64_t nanoseconds_since(const DeviceMark& earlier) const = 0;
};

struct ProfilingBackend {
  // The bytes that the pools of all devices hold from the system or the driver.
  int64_t (*reserved_bytes)();
  // Those that are allocated and not yet freed.
  int64_t (*used_bytes)();
  // Open a named range of this thread in the vendor's profiler, and close the
  // innermost one; null without a profiler.
  void (*push_range)(const std::string& name) = nullptr;
  void (*pop_range)() noexcept = nullptr;

  // Marks the current place in this thread's current stream of a device; null
  // where functions have ended when they return.
  std::shared_ptr<const DeviceMark> (*mark)(int device) = nullptr;
};

// The table of a backend, or null when it is not linked. The CPU's is built in.
const ProfilingBackend* profiling_backend(Backend backend);
void set_profiling_backend(Backend backend, const ProfilingBackend* table);

// The total bytes requested from a backend's pool for arrays created by this
// thread, including those since freed.
int64_t allocated_bytes(Backend backend);

}  // namespace catena
