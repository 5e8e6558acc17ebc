#include "catena/tests/benchmarks/peak_memory.h"

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "catena/array/core/memory_pool.h"

namespace catena {

// Excludes memory that earlier benchmarks left in the pool, and resets VmHWM.
PeakMemory::PeakMemory() {
  cpu::free_all_blocks();
  std::ofstream("/proc/self/clear_refs") << "5";
}

void PeakMemory::report(benchmark::State& state) const {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    if (name == "VmHWM:") {
      int64_t kibibytes = 0;
      status >> kibibytes;
      state.counters["MiB"] = static_cast<double>(kibibytes) / 1024;
      return;
    }
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
}

}  // namespace catena
