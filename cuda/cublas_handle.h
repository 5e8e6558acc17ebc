#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdint>
#include <string_view>

#include "catena/array/core/source_location.h"

namespace catena::cuda {

// Throws CudaError with cuBLAS's name of the status unless it is success.
void check(cublasStatus_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current());

// This thread's handle for the device, bound to the device's current stream,
// with one workspace per stream, so that results are reproducible with any
// number of streams. Scalars are read from the host; float32 is computed as
// float32 (no TF32), float16 and bfloat16 are accumulated in float32. The
// device must be current (DeviceGuard). The handle is valid until the thread's
// current stream changes. Throws CudaError.
cublasHandle_t cublas_handle(int device);

// The bytes of a workspace of cuBLAS on the device.
int64_t cublas_workspace_bytes(int device);

// The same handle for cublasLt, whose calls take stream and workspace
// explicitly.
cublasLtHandle_t cublas_lt_handle(int device);

}  // namespace catena::cuda
