// The Fourier transform, counted as 5 n log2(n) operations per row of n,
// compared with a copy of the same data.

#include <benchmark/benchmark.h>

#include <cmath>

#include "catena/array/creation.h"
#include "catena/array/fft/fft.h"

namespace catena::array::fft {
namespace {

void transform(benchmark::State& state) {
  const Array x = ones({state.range(0), state.range(1)}, Dtype::kFloat32);
  for (auto _ : state) {
    benchmark::DoNotOptimize(fft(x, x).real.raw_data());
  }
  const auto n = static_cast<double>(state.range(1));
  state.counters["flops"] = benchmark::Counter(
      5 * n * std::log2(n) * static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(transform)
    ->ArgsProduct({{1, 256}, {64, 1000, 1024, 1009}})
    ->Args({1, 1 << 16})
    ->Args({16, 1 << 16})
    ->UseRealTime();

void copy_of_both(benchmark::State& state) {
  const Array x = ones({state.range(0), state.range(1)}, Dtype::kFloat32);
  for (auto _ : state) {
    const Array real = x.copy();
    benchmark::DoNotOptimize(x.copy().raw_data());
  }
}
BENCHMARK(copy_of_both)->Args({256, 1024})->UseRealTime();

}  // namespace
}  // namespace catena::array::fft
