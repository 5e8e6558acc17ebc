#pragma once

#include <string>
#include <vector>

// CUDA C++ compiled at run time. Needs no GPU.
namespace catena::cuda {

struct NvrtcResult {
  bool ok = false;
  std::string messages;
  std::string cubin;
  // What the compiler calls the kernel that was asked for.
  std::string lowered_name;
};

// Compiles source text to code for one architecture, "90"; `kernel` is the name
// of a __global__ function of it, or an expression such as "f<float>".
// CudaError when NVRTC itself fails; the text's own faults are in the result.
NvrtcResult compile_with_nvrtc(const std::string& source,
                               const std::string& kernel,
                               const std::string& architecture,
                               const std::vector<std::string>& options);

// "13.0".
std::string nvrtc_version();

}  // namespace catena::cuda
