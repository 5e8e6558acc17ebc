#pragma once

#include <cusolverDn.h>

#include <string_view>

#include "catena/array/core/source_location.h"

namespace catena::cuda {

// Throws CudaError with cuSOLVER's name of the status unless it is success.
void check(cusolverStatus_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current());

// This thread's handle for the device, bound to the device's current stream.
// The device must be current (DeviceGuard). The handle is valid until the
// thread's current stream changes. Throws CudaError.
cusolverDnHandle_t cusolver_handle(int device);

}  // namespace catena::cuda
