#include "catena/functions/util/cudnn_enabled.h"

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/functions/cudnn/presence_cudnn.h"

namespace catena::functions {

bool cudnn_enabled() {
  const BackendTable* cuda = backend_table(Backend::kCuda);
  return cuda != nullptr && cuda->device_count() > 0 &&
         presence_cudnn(cuda_device());
}

}  // namespace catena::functions
