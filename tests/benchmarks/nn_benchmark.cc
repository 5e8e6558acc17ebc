// The cases of device_benchmark on the CPU, with the peak of the memory. Those
// of networks also in bfloat16.

#include <benchmark/benchmark.h>

#include <string>

#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/tests/benchmarks/cases.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena::benchmarks {
namespace {

void run(benchmark::State& state, const Case& c, Dtype dtype) {
  const auto scope = using_config(&Config::dtype, dtype);
  array::random::seed(0);
  const PeakMemory memory;
  const Work work = c.prepare({.dtype = dtype});
  work.step();  // initializes the parameters
  for (auto _ : state) work.step();
  state.counters[std::string(work.unit)] = benchmark::Counter(
      work.amount, benchmark::Counter::kIsIterationInvariantRate);
  memory.report(state);
}

void add(const Case& c, const std::string& suffix, Dtype dtype) {
  benchmark::RegisterBenchmark(
      (c.name + suffix).c_str(),
      [c, dtype](benchmark::State& state) { run(state, c, dtype); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

const bool kAdded = [] {
  for (const auto& cases : {array_cases(), image_cases()}) {
    for (const Case& c : cases) add(c, "", Dtype::kFloat32);
  }
  for (const auto& cases : {network_cases(), transformer_cases()}) {
    for (const Case& c : cases) {
      add(c, "", Dtype::kFloat32);
      if (!c.only_float32) add(c, "/bfloat16", Dtype::kBFloat16);
    }
  }
  return true;
}();

}  // namespace
}  // namespace catena::benchmarks
