#include "catena/array/captured_work.h"

#include "catena/array/error.h"

namespace catena {
namespace {

constinit CaptureWork* functions[kBackendCount] = {};

}  // namespace

bool can_capture(Device device) {
  return functions[static_cast<int>(device.backend())] != nullptr;
}

std::unique_ptr<CapturedWork> capture_work(Device device,
                                           const std::function<void()>& work,
                                           const CapturedWork* other) {
  if (!can_capture(device)) {
    raise<NotImplementedError>("capture_work: expected a GPU, got ", device);
  }
  require_device(device, "capture_work");
  return functions[static_cast<int>(device.backend())](device, work, other);
}

void set_capture_work(Backend backend, CaptureWork* function) {
  functions[static_cast<int>(backend)] = function;
}

}  // namespace catena
