#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "catena/array/user_kernel/kernel_backend.h"

// Run-time compiled GPU kernels, cached on disk.
namespace catena::cuda {

// A loaded module. Lives as long as the process.
struct RuntimeCode {
  cudaLibrary_t library = nullptr;
  std::string lowered_name;  // of the requested kernel
};

// The code of the program's function `kernel` for the device, compiled once per
// process and source, or found in the kernel cache. Throws CompileError,
// CudaError.
const RuntimeCode& runtime_code(const array::UserKernelProgram& program,
                                const std::string& kernel, int device);

// A kernel in `code`, as cuda::launch takes it. Throws CudaError if there is
// none.
const void* find_kernel(const RuntimeCode& code, const std::string& name);

}  // namespace catena::cuda
