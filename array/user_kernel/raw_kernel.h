#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/compile_error.h"

namespace catena::cuda {

// An argument of a RawKernel: of an array the address of its first element, of
// anything else that can be copied by its bytes, those bytes, so that its type
// has to be the parameter's.
class RawKernelArg {
 public:
  RawKernelArg(const Array& array);
  template <class T>
  requires(std::is_trivially_copyable_v<T> && sizeof(T) <= 64 &&
           !std::is_convertible_v<T, Array>) RawKernelArg(const T& value) {
    std::memcpy(bytes_, &value, sizeof(T));
  }

  // None for what is no array.
  const std::optional<Device>& device() const { return device_; }
  void* data() { return bytes_; }

 private:
  std::optional<Device> device_;
  alignas(std::max_align_t) char bytes_[64];
};

// The extents of a grid or a block.
struct LaunchExtent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

struct RawKernelOptions {
  // Bytes of dynamic shared memory.
  int64_t shared_mem = 0;
  // Where to run without an array among the arguments; the current device.
  std::optional<int> device = std::nullopt;
};

// A kernel written in CUDA C++, compiled by NVRTC when it is first called and
// kept on disk. Its launch is the caller's: arrays are what raw_data() gives,
// whatever their strides, and nothing is checked against the parameters.
//
//   RawKernel add(R"(extern "C" __global__
//   void add(const float* x, const float* y, float* z) {
//     const int i = blockDim.x * blockIdx.x + threadIdx.x;
//     z[i] = x[i] + y[i];
//   })", "add");
//   add({5}, {5}, {x, y, z});
class RawKernel {
 public:
  // `name` is the kernel's, or an expression such as "f<float>"; `options` are
  // NVRTC's.
  RawKernel(std::string code, std::string name,
            std::vector<std::string> options = {});

  // Starts the kernel on the device's current stream. DeviceError when an array
  // is not on a GPU or on another than those before it, ValueError on an extent
  // of 0 or negative shared memory, CompileError with the code's own lines,
  // CudaError when the launch is refused.
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

}  // namespace catena::cuda
