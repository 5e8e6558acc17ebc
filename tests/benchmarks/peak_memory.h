#pragma once

#include <benchmark/benchmark.h>

namespace catena {

// The most memory the process has in use from here on, as a counter "MiB".
class PeakMemory {
 public:
  PeakMemory();
  void report(benchmark::State& state) const;
};

}  // namespace catena
