#pragma once

#include <cudnn.h>

#include <string>
#include <utility>

#include "catena/cuda/vendor_library.h"

namespace catena::cuda {

// Why cuDNN's functions cannot be called, empty if they can. The first call
// loads the library: where it is not installed, programs run without it.
const std::string& cudnn_problem();

namespace internal {

// cuDNN, from a file whose name is as for dlopen.
VendorLibrary load_cudnn(std::string file);

const VendorLibrary& cudnn_library();

}  // namespace internal

// Calls a function of cuDNN:
//   check(call_cudnn<cudnnSetStream>(handle, stream), "cudnnSetStream");
// Throws DeviceError with cudnn_problem() when there is one.
template <auto function, class... Args>
auto call_cudnn(Args&&... args) {
  static const auto address = reinterpret_cast<decltype(function)>(
      internal::cudnn_library().address(function_name<function>("cudnn")));
  return address(std::forward<Args>(args)...);
}

}  // namespace catena::cuda
