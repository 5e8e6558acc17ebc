// var compared with mean, which reads the same memory once, and with a two-pass
// variance.

#include <benchmark/benchmark.h>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

template <class Reduce>
void run(benchmark::State& state, Axes axes, Dtype dtype, Reduce reduce) {
  const int64_t n = state.range(0);
  const Array a = random::normal(0, 1, {n, n}).astype(dtype);
  for (auto _ : state) benchmark::DoNotOptimize(reduce(a, axes));
  state.SetBytesProcessed(state.iterations() * a.nbytes());
}

void mean_of(benchmark::State& state, Axes axes, Dtype dtype) {
  run(state, axes, dtype,
      [](const Array& a, const Axes& over) { return mean(a, {.axis = over}); });
}

void var_of(benchmark::State& state, Axes axes, Dtype dtype) {
  run(state, axes, dtype,
      [](const Array& a, const Axes& over) { return var(a, {.axis = over}); });
}

void composed_var_of(benchmark::State& state, Axes axes, Dtype dtype) {
  run(state, axes, dtype, [](const Array& a, const Axes& over) {
    const Array center = mean(a, {.axis = over, .keepdims = true});
    return mean(square(subtract(a, center)), {.axis = over});
  });
}

void cumsum_of(benchmark::State& state, Axes axes, Dtype dtype) {
  run(state, axes, dtype, [](const Array& a, const Axes& over) {
    return cumsum(a, {.axis = over[0]});
  });
}

template <class Function>
void benchmark_all(const char* name, Function function) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt32}) {
    for (const int64_t axis : {0, 1}) {
      benchmark::RegisterBenchmark(
          str(name, "/", dtype, "/axis", axis).c_str(),
          [=](benchmark::State& state) { function(state, {axis}, dtype); })
          ->Arg(61)
          ->Arg(4096)
          ->UseRealTime();
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  benchmark_all("mean", mean_of);
  benchmark_all("var", var_of);
  benchmark_all("composed_var", composed_var_of);
  benchmark_all("cumsum", cumsum_of);
  return true;
}();

}  // namespace
}  // namespace catena::array
