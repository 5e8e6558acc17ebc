// The overhead of a call on few elements, and the bandwidth reached on large
// arrays.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena {
namespace {

void AddFew(benchmark::State& state) {
  const Array a = array::ones({10}, Dtype::kFloat32);
  const Array b = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) benchmark::DoNotOptimize(array::add(a, b));
}
BENCHMARK(AddFew);

void AddNumberToFew(benchmark::State& state) {
  const Array a = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) benchmark::DoNotOptimize(array::add(a, 2.5));
}
BENCHMARK(AddNumberToFew);

void AddFewInPlace(benchmark::State& state) {
  const Array a = array::ones({10}, Dtype::kFloat32);
  const Array b = array::zeros({10}, Dtype::kFloat32);
  for (auto _ : state) a += b;
}
BENCHMARK(AddFewInPlace);

void SqrtOfFew(benchmark::State& state) {
  const Array a = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) benchmark::DoNotOptimize(array::sqrt(a));
}
BENCHMARK(SqrtOfFew);

}  // namespace
}  // namespace catena
