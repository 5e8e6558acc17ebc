#pragma once

#include <string>
#include <vector>

// Run-time compilation of CUDA C++. Needs no GPU.
namespace catena::cuda {

struct NvrtcResult {
  bool ok = false;
  std::string messages;
  std::string cubin;
  // The mangled name of the requested kernel.
  std::string lowered_name;
};

// Compiles source text for one architecture, such as "90". `kernel` is the name
// of a __global__ function in it, or an expression such as "f<float>". Throws
// CudaError if NVRTC itself fails; errors in the source are in the result.
NvrtcResult compile_with_nvrtc(const std::string& source,
                               const std::string& kernel,
                               const std::string& architecture,
                               const std::vector<std::string>& options);

// "13.0".
std::string nvrtc_version();

}  // namespace catena::cuda
