#pragma once

#include <cudnn.h>

#include <string_view>

#include "catena/array/core/source_location.h"
#include "catena/cuda/cudnn_library.h"

namespace catena::cuda {

// Throws CudaError with cuDNN's name of the status and its last error message
// in this thread unless the status is success.
void check(cudnnStatus_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current());

// This thread's handle for the device, bound to the device's current stream.
// The device must be current (DeviceGuard). The handle is valid until the
// thread's current stream changes. Throws CudaError.
cudnnHandle_t cudnn_handle(int device);

// cuDNN's version as 10000 * major + 100 * minor + patch.
int cudnn_version();

}  // namespace catena::cuda
