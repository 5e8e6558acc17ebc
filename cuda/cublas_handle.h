#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <string_view>

#include "catena/array/source_location.h"

namespace catena::cuda {

// Throws CudaError with cuBLAS's own name of the status unless it is success.
void check(cublasStatus_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current());

// This thread's handle of the device, bound to the device's current stream, on
// which it has a workspace of its own: so results are the same in every run,
// however many streams there are. Scalars are read from the host; float32 is
// computed as float32 (no TF32), float16 and bfloat16 are summed in float32.
// The device must be the one in use (DeviceGuard). The handle is good until the
// thread's current stream changes. CudaError.
cublasHandle_t cublas_handle(int device);

// The same handle for cublasLt, whose calls are given stream and workspace.
cublasLtHandle_t cublas_lt_handle(int device);

}  // namespace catena::cuda
