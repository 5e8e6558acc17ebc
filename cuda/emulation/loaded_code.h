#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_runtime_api.h"

// Code that was compiled at run time: shared objects whose kernels are called
// by their names.
namespace catena::cuda::emulation {

// What such code calls. The same struct is in the prelude of the code
// (nvrtc_prelude.cc).
struct DeviceFunctions {
  const uint3* (*thread_idx)();
  const uint3* (*block_idx)();
  const dim3* (*block_dim)();
  const dim3* (*grid_dim)();
  void (*wait_for_block)();
  void (*wait_for_warp)(unsigned mask);
  char (*(*next_exchange)())[16];
  int (*lane)();
};

// A kernel as the code describes it, also in the prelude. The last of a list
// has no function.
struct CompiledParam {
  size_t size;
  size_t alignment;
};
struct CompiledKernel {
  void (*function)();
  // One thread; an address for each parameter.
  void (*run)(void (*function)(), void* const* params);
  const CompiledParam* params;
  size_t count;
};

// The function of the code that takes DeviceFunctions and returns the list of
// its kernels. Its name differs from prelude to prelude, so that code from a
// cache is not taken for that of another one.
std::string entry_point();

struct LoadedKernel {
  std::string name;  // of its symbol
  CompiledKernel compiled;
};

struct LoadedCode {
  void* library;  // as dlopen returns it
  std::vector<LoadedKernel> kernels;
};

// Throws IoError when it is not such code. It is never unloaded.
LoadedCode load_code(std::string_view code);

}  // namespace catena::cuda::emulation
