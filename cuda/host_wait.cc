#include "catena/cuda/host_wait.h"

#include "catena/array/core/capture.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/core/work_record.h"

namespace catena::cuda {

void forbid_capture(std::string_view reason) {
  if (WorkRecord* record = current_work_record()) record->forbid(reason);
}

void check_host_wait(int device, std::string_view operation,
                     std::string_view reason) {
  forbid_capture(reason);
  if (current_capture(cuda_device(device)) == nullptr) return;
  raise<DeviceError>(
      operation, ": expected no capture of ", cuda_device(device),
      ", whose work runs only when the graph is launched, got one; read "
      "results (item(), printing, copies to the host) after the launch, or do "
      "not capture this work");
}

}  // namespace catena::cuda
