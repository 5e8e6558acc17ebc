#pragma once

#include <string>
#include <vector>

// Run-time compilation of CUDA C++. Needs no GPU.
namespace catena::cuda {

struct NvrtcResult {
  bool ok = false;
  std::string messages;
  std::string cubin;
  // The mangled name of each requested function or variable.
  std::vector<std::string> lowered_names;
};

// Compiles source text for one architecture, such as "90". `kernels` are names
// of __global__ functions in it, or expressions such as "f<float>"; those that
// are extern "C" need not be named. Throws CudaError when NVRTC itself fails;
// errors in the source are in the result.
NvrtcResult compile_with_nvrtc(const std::string& source,
                               const std::vector<std::string>& kernels,
                               const std::string& architecture,
                               const std::vector<std::string>& options);

// "13.0".
std::string nvrtc_version();

}  // namespace catena::cuda
