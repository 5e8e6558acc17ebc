#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "catena/array/user_kernel/kernel_backend.h"

// Run-time compiled GPU kernels, cached on disk.
namespace catena::cuda {

// A loaded module. Lives as long as the process.
struct RuntimeCode {
  cudaLibrary_t library = nullptr;
  std::vector<std::string> lowered_names;  // of the requested kernels
};

// The code of the program's functions `kernels` (see cuda/nvrtc.h) for the
// device, compiled once per process and source, or found in the kernel cache.
// Throws CompileError, CudaError.
const RuntimeCode& runtime_code(const array::UserKernelProgram& program,
                                const std::vector<std::string>& kernels,
                                int device);

// Null if the driver refuses the code: a cubin, a fatbin, or PTX.
cudaLibrary_t load_library(const std::string& code, int device);

// A kernel in `code`, as cuda::launch takes it. Throws CudaError if there is
// none.
const void* find_kernel(const RuntimeCode& code, const std::string& name);

}  // namespace catena::cuda
