#include "catena/cuda/emulation/loaded_code.h"

#include <dlfcn.h>

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/shared_object.h"
#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/nvrtc_prelude.h"

namespace catena::cuda::emulation {
namespace {

constexpr DeviceFunctions kDeviceFunctions = {
    .thread_idx = []() -> const uint3* { return &threadIdx; },
    .block_idx = []() -> const uint3* { return &blockIdx; },
    .block_dim = []() -> const dim3* { return &blockDim; },
    .grid_dim = []() -> const dim3* { return &gridDim; },
    .wait_for_block = wait_for_block,
    .wait_for_warp = wait_for_warp,
    .next_exchange = next_exchange,
    .lane = lane,
};

std::string symbol_of(void (*function)(), size_t index) {
  Dl_info info{};
  const auto* address = reinterpret_cast<const void*>(function);
  if (dladdr(address, &info) != 0 && info.dli_saddr == address) {
    return info.dli_sname;
  }
  return str("_catena_local_kernel_", index);  // in an unnamed namespace
}

}  // namespace

std::string entry_point() {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char* at = kNvrtcPrelude; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  }
  return str("catena_kernels_", hash);
}

LoadedCode load_code(std::string_view code) {
  void* library = load_shared_object("a CUDA library", code,
                                     RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  using Entry = const CompiledKernel*(const DeviceFunctions*);
  void* entry = dlsym(library, entry_point().c_str());
  if (entry == nullptr) raise<IoError>("dlsym: ", dlerror());
  std::vector<LoadedKernel> kernels;
  for (const CompiledKernel* kernel =
           reinterpret_cast<Entry*>(entry)(&kDeviceFunctions);
       kernel->function != nullptr; ++kernel) {
    kernels.push_back({symbol_of(kernel->function, kernels.size()), *kernel});
  }
  return {library, std::move(kernels)};
}

}  // namespace catena::cuda::emulation
