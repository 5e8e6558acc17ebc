#pragma once

#include <cstdint>
#include <string>

#include "catena/array/device.h"

// What profilers, such as //autograd/function_hooks, ask of a backend.
namespace catena {

struct ProfilingBackend {
  // The bytes that the pools of all devices have taken from the system or the
  // driver and not given back.
  int64_t (*reserved_bytes)();
  // Open a named range of this thread on the time line of the vendor's
  // profiler, and close the one opened last; null without a profiler.
  void (*push_range)(const std::string& name) = nullptr;
  void (*pop_range)() noexcept = nullptr;
};

// The table of a backend, or null when it is not linked. The CPU's is built in.
const ProfilingBackend* profiling_backend(Backend backend);
void set_profiling_backend(Backend backend, const ProfilingBackend* table);

// The bytes that arrays made by this thread have asked of a backend's pool
// since the thread began, including what was freed meanwhile.
int64_t allocated_bytes(Backend backend);

}  // namespace catena
