#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/compile_error.h"

namespace catena::cuda {

// An argument of a RawKernel: for an array the address of its first element;
// any other trivially copyable value is passed as is, so its type must be that
// of the parameter.
class RawKernelArg {
 public:
  static constexpr size_t kSize = 64;

  RawKernelArg(const Array& array);
  template <class T>
  requires(std::is_trivially_copyable_v<T> && sizeof(T) <= kSize &&
           !std::is_convertible_v<T, Array>) RawKernelArg(const T& value) {
    std::memcpy(bytes_, &value, sizeof(T));
  }

  // nullopt unless the argument is an array.
  const std::optional<Device>& device() const { return device_; }
  void* data() { return bytes_; }
  const void* data() const { return bytes_; }

 private:
  std::optional<Device> device_;
  alignas(std::max_align_t) char bytes_[kSize] = {};
};

// The extents of a grid or a block.
struct LaunchExtent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

struct RawKernelOptions {
  NamedFieldsOnly keywords = {};
  // Bytes of dynamic shared memory.
  int64_t shared_mem = 0;
  // Where to run if no argument is an array; the current device by default.
  std::optional<int> device = std::nullopt;
};

// A kernel written in CUDA C++, compiled by NVRTC on first use and cached on
// disk. Arrays are passed as raw_data(), whatever their strides, and arguments
// are not checked against the parameters.
//
//   RawKernel add(R"(extern "C" __global__
//   void add(const float* x, const float* y, float* z) {
//     const int i = blockDim.x * blockIdx.x + threadIdx.x;
//     z[i] = x[i] + y[i];
//   })", "add");
//   add({5}, {5}, {x, y, z});
class RawKernel {
 public:
  // `name` is the kernel's name or an expression such as "f<float>"; `options`
  // are passed to NVRTC.
  RawKernel(std::string code, std::string name,
            std::vector<std::string> options = {});

  // Launches the kernel on the device's current stream. Throws DeviceError
  // unless all arrays are on the same GPU, ValueError for an extent of 0 or
  // negative shared memory, CompileError, and CudaError when the launch fails.
  void operator()(LaunchExtent grid, LaunchExtent block,
                  std::initializer_list<RawKernelArg> args,
                  const RawKernelOptions& options = {}) const;

  const std::string& name() const { return name_; }
  const std::string& code() const { return code_; }

 private:
  std::string code_;
  std::string name_;
  std::vector<std::string> options_;
};

namespace internal {
// The checks and the launch of RawKernel and RawFunction. `find` returns the
// kernel for a device, as cudaLaunchKernel takes it.
void launch_raw(const std::string& name,
                const std::function<const void*(int device)>& find,
                LaunchExtent grid, LaunchExtent block,
                std::initializer_list<RawKernelArg> args,
                const RawKernelOptions& options);
}  // namespace internal

}  // namespace catena::cuda
