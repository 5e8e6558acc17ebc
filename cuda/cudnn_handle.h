#pragma once

#include <cudnn.h>

#include <string_view>

#include "catena/array/source_location.h"

namespace catena::cuda {

// Throws CudaError with cuDNN's own name of the status unless it is success;
// the text is what cuDNN last said in this thread.
void check(cudnnStatus_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current());

// This thread's handle of the device, bound to the device's current stream. The
// device must be the one in use (DeviceGuard). The handle is good until the
// thread's current stream changes. CudaError.
cudnnHandle_t cudnn_handle(int device);

// cuDNN's version as 10000 * major + 100 * minor + patch.
int cudnn_version();

}  // namespace catena::cuda
