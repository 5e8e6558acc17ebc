#pragma once

#include <cstdint>
#include <string>

#include "catena/array/device.h"

// Backend functions for profilers such as //autograd/function_hooks.
namespace catena {

struct ProfilingBackend {
  // The bytes that the pools of all devices hold from the system or the driver.
  int64_t (*reserved_bytes)();
  // Open a named range of this thread in the vendor's profiler, and close the
  // innermost one; null without a profiler.
  void (*push_range)(const std::string& name) = nullptr;
  void (*pop_range)() noexcept = nullptr;
};

// The table of a backend, or null when it is not linked. The CPU's is built in.
const ProfilingBackend* profiling_backend(Backend backend);
void set_profiling_backend(Backend backend, const ProfilingBackend* table);

// The total bytes requested from a backend's pool for arrays created by this
// thread, including those since freed.
int64_t allocated_bytes(Backend backend);

}  // namespace catena
