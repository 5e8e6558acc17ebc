// Installs CUDA's ProfilingBackend (array/profiling.h) when it is linked.

#include "catena/array/profiling.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/profiler.h"

namespace catena::cuda {
namespace {

int64_t reserved_bytes() {
  int64_t total = 0;
  for (int device = 0; device < device_count(); ++device) {
    total += memory_pool(device).statistics().total_bytes();
  }
  return total;
}

constexpr ProfilingBackend kProfiling = {reserved_bytes, profiler::push_range,
                                         profiler::pop_range};

[[maybe_unused]] const bool installed = [] {
  set_profiling_backend(Backend::kCuda, &kProfiling);
  return true;
}();

}  // namespace
}  // namespace catena::cuda
