// Elements sorted and searched per second, compared with std::sort and
// std::stable_sort on one thread.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/sorting/search.h"
#include "catena/array/sorting/sort.h"

namespace catena {
namespace {

namespace xp = catena::array;

Array numbers(int64_t count, Dtype dtype) {
  xp::random::Generator generator(1, native_device());
  if (is_floating(dtype)) {
    return generator.normal(0, 1, {count}).astype(dtype);
  }
  return generator.randint(-(int64_t{1} << 30), int64_t{1} << 30, {count})
      .astype(dtype);
}

void set_items(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class T>
void std_sort(benchmark::State& state) {
  const Array a = numbers(state.range(0), dtype_of<T>);
  for (auto _ : state) {
    const Array sorted = a.copy();
    std::sort(sorted.data<T>(), sorted.data<T>() + sorted.size());
    benchmark::DoNotOptimize(sorted.raw_data());
  }
  set_items(state);
}

template <class T>
void sort(benchmark::State& state) {
  const Array a = numbers(state.range(0), dtype_of<T>);
  for (auto _ : state) benchmark::DoNotOptimize(xp::sort(a));
  set_items(state);
}

template <class T>
void std_argsort(benchmark::State& state) {
  const Array a = numbers(state.range(0), dtype_of<T>);
  const T* values = a.data<T>();
  std::vector<int64_t> order(a.size());
  for (auto _ : state) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [=](int64_t i, int64_t k) {
      return values[i] < values[k];
    });
    benchmark::DoNotOptimize(order.data());
  }
  set_items(state);
}

template <class T>
void argsort(benchmark::State& state) {
  const Array a = numbers(state.range(0), dtype_of<T>);
  for (auto _ : state) benchmark::DoNotOptimize(xp::argsort(a));
  set_items(state);
}

// Rows of 100, as for the best classes of a batch.
void argsort_rows(benchmark::State& state) {
  const Array a = numbers(state.range(0), Dtype::kFloat32).reshape({-1, 100});
  for (auto _ : state) benchmark::DoNotOptimize(xp::argsort(a));
  set_items(state);
}

void searchsorted(benchmark::State& state) {
  const Array sorted = xp::sort(numbers(100000, Dtype::kFloat32));
  const Array values = numbers(state.range(0), Dtype::kFloat32);
  for (auto _ : state) {
    benchmark::DoNotOptimize(xp::searchsorted(sorted, values));
  }
  set_items(state);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(1000)
      ->Arg(100003)
      ->Arg(1 << 20)
      ->Arg(1 << 24)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

BENCHMARK_TEMPLATE(std_sort, float)->Apply(sizes);
BENCHMARK_TEMPLATE(sort, float)->Apply(sizes);
BENCHMARK_TEMPLATE(sort, float16)->Apply(sizes);
BENCHMARK_TEMPLATE(sort, double)->Apply(sizes);
BENCHMARK_TEMPLATE(std_sort, int32_t)->Apply(sizes);
BENCHMARK_TEMPLATE(sort, int32_t)->Apply(sizes);
BENCHMARK_TEMPLATE(std_argsort, float)->Apply(sizes);
BENCHMARK_TEMPLATE(argsort, float)->Apply(sizes);
BENCHMARK(argsort_rows)->Arg(1000000)->Unit(benchmark::kMillisecond);
BENCHMARK(searchsorted)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
