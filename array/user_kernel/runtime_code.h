#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "catena/array/user_kernel/kernel_backend.h"

// Kernels from text on a GPU: compiled once and kept on disk.
namespace catena::cuda {

// A loaded module; for the life of the process.
struct RuntimeCode {
  cudaLibrary_t library = nullptr;
  std::string lowered_name;  // of the kernel that was asked for
};

// The code of the program's function `kernel` for the device: compiled once a
// process and text, or found in the kernel cache. CompileError, CudaError.
const RuntimeCode& runtime_code(const array::UserKernelProgram& program,
                                const std::string& kernel, int device);

// A kernel of it, as cuda::launch takes it. CudaError when there is none.
const void* find_kernel(const RuntimeCode& code, const std::string& name);

}  // namespace catena::cuda
