#pragma once

#include <nccl.h>

#include <utility>

#include "catena/cuda/vendor_library.h"

namespace catena::cuda {
namespace internal {

// NCCL, from a file whose name is as for dlopen.
VendorLibrary load_nccl(std::string file);

const VendorLibrary& nccl_library();

}  // namespace internal

// Calls a function of NCCL, which the first call loads:
//   check(call_nccl<ncclCommFinalize>(comm), "ncclCommFinalize");
// Throws DeviceError when NCCL is missing or too old. The NCCL of emulated GPUs
// is linked.
template <auto function, class... Args>
auto call_nccl(Args&&... args) {
#ifdef CATENA_EMULATED_NCCL
  return function(std::forward<Args>(args)...);
#else
  static const auto address = reinterpret_cast<decltype(function)>(
      internal::nccl_library().address(function_name<function>("nccl")));
  return address(std::forward<Args>(args)...);
#endif
}

}  // namespace catena::cuda
