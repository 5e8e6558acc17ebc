#pragma once

#include <cstdint>
#include <string>

#include "catena/array/core/device.h"

// For profilers such as //autograd/function_hooks, beside the functions of the
// backends (backend.h).
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

// The total bytes requested from a backend's pool for arrays created by this
// thread, including those since freed.
int64_t allocated_bytes(Backend backend);

}  // namespace catena
