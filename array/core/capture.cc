#include "catena/array/core/capture.h"

#include "catena/array/core/error.h"

namespace catena {

namespace internal {
constinit thread_local Capture* capture_of_thread = nullptr;
}  // namespace internal

CaptureScope::CaptureScope(Capture& capture) {
  if (const Capture* other = internal::capture_of_thread) {
    raise<DeviceError>(
        "capture: expected no capture inside another, got one of ",
        capture.device(), " inside one of ", other->device());
  }
  internal::capture_of_thread = &capture;
}

}  // namespace catena
