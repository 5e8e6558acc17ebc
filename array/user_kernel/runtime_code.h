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
  std::vector<std::string> lowered_names = {};  // of the requested kernels
  std::string name = {};                        // for messages
};

// The code of the program's functions `kernels` (see cuda/nvrtc.h) for the
// device, compiled once per process and source, or found in the kernel cache;
// an entry that the driver refuses is compiled again. Throws CompileError,
// CudaError.
const RuntimeCode& runtime_code(const array::UserKernelProgram& program,
                                const std::vector<std::string>& kernels,
                                int device);

// Code that was loaded, or why it was not.
struct LoadedLibrary {
  cudaLibrary_t library = nullptr;
  std::string refusal = {};
};

// Loads a cubin, a fatbin or PTX for use on the device. The driver itself reads
// code only when something of it is used, so that is done here. Throws
// CudaError for failures that are not the code's.
LoadedLibrary load_library(const std::string& code, int device);

// A kernel in `code`, as cuda::launch takes it. Throws CudaError when there is
// none, DeviceError with the code's name when the driver refuses the code.
const void* find_kernel(const RuntimeCode& code, const std::string& name);

// A variable in `code` on a device. Throws as find_kernel does.
struct RuntimeVariable {
  void* data = nullptr;
  size_t bytes = 0;
};
RuntimeVariable find_variable(const RuntimeCode& code, const std::string& name,
                              int device);

}  // namespace catena::cuda
