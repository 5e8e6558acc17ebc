#pragma once

#include <benchmark/benchmark.h>

namespace catena {

// The peak memory of the process from construction on, as a counter "MiB".
class PeakMemory {
 public:
  PeakMemory();
  void report(benchmark::State& state) const;
};

}  // namespace catena
