#include "catena/array/core/captured_work.h"

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"

namespace catena {

bool can_capture(Device device) {
  const BackendTable* table = backend_table(device.backend());
  return table != nullptr && table->capture != nullptr;
}

std::unique_ptr<CapturedWork> capture_work(Device device,
                                           const std::function<void()>& work,
                                           const CapturedWork* other) {
  if (!can_capture(device)) {
    raise<NotImplementedError>("capture_work: expected a GPU, got ", device);
  }
  return require_device(device, "capture_work").capture(device, work, other);
}

}  // namespace catena
