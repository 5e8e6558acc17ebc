#include "catena/array/profiling.h"

#include "catena/array/cpu/memory_pool.h"

namespace catena {
namespace {

constexpr ProfilingBackend kNative = {
    .reserved_bytes =
        [] { return cpu::memory_pool_statistics().total_bytes(); },
    .used_bytes = [] { return cpu::memory_pool_statistics().used_bytes; }};

constinit const ProfilingBackend* backends[kBackendCount] = {&kNative, nullptr};

}  // namespace

const ProfilingBackend* profiling_backend(Backend backend) {
  return backends[static_cast<int>(backend)];
}

void set_profiling_backend(Backend backend, const ProfilingBackend* table) {
  backends[static_cast<int>(backend)] = table;
}

}  // namespace catena
