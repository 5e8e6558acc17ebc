#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/user_kernel/raw_kernel.h"
#include "catena/cuda/memory_pointer.h"

namespace catena::cuda {

// A kernel of a RawModule, which it keeps. Launched like a RawKernel.
class RawFunction {
 public:
  void operator()(LaunchExtent grid, LaunchExtent block,
                  std::initializer_list<RawKernelArg> args,
                  const RawKernelOptions& options = {}) const;

  const std::string& name() const { return name_; }

 private:
  friend class RawModule;
  struct Code;
  RawFunction(std::shared_ptr<const Code> code, std::string name);

  std::shared_ptr<const Code> code_;
  std::string name_;
};

struct RawModuleOptions {
  NamedFieldsOnly keywords = {};
  // Passed to NVRTC.
  std::vector<std::string> options = {};
  // Kernels that are not extern "C", such as "fill<float>", by which
  // get_function finds them.
  std::vector<std::string> name_expressions = {};
};

// CUDA C++ with several kernels and variables, compiled by NVRTC on first use
// and cached on disk.
//
//   const RawModule module(R"(
//   __device__ float factor;
//   extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= factor; }
//   extern "C" __global__ void shift(float* x) { x[threadIdx.x] += 1; })");
//   const float two = 2;
//   module.get_global("factor").copy_from(&two, sizeof(two));
//   module.get_function("scale")({1}, {5}, {x});
class RawModule {
 public:
  explicit RawModule(std::string code, const RawModuleOptions& options = {});
  // A cubin, fatbin or PTX file, such as nvcc writes. Throws IoError when it
  // cannot be read.
  static RawModule from_file(const std::filesystem::path& path);

  // The kernel of that name or name expression; looked up when it is launched,
  // which throws CudaError when there is none, and DeviceError when the code
  // does not fit the GPU.
  RawFunction get_function(const std::string& name) const;
  // A __device__ or __constant__ variable on a GPU, by default the current one;
  // outside of namespaces, or by its mangled name. Throws CudaError when there
  // is none.
  MemoryPointer get_global(const std::string& name,
                           std::optional<int> device = std::nullopt) const;

 private:
  explicit RawModule(std::shared_ptr<const RawFunction::Code> code)
      : code_(std::move(code)) {}

  std::shared_ptr<const RawFunction::Code> code_;
};

}  // namespace catena::cuda
