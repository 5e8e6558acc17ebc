// User-defined kernels compared with the library's own: compiled source, C++
// lambdas, ufuncs. Bytes are the sizes of the arrays.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/array/user_kernel/elementwise_kernel.h"
#include "catena/array/user_kernel/functor_kernels.h"
#include "catena/array/user_kernel/reduction_kernel.h"

namespace catena::array {
namespace {

void run_binary(benchmark::State& state, const auto& function) {
  const Array x = ones({state.range(0)}, Dtype::kFloat32);
  const Array y = ones({state.range(0)}, Dtype::kFloat32);
  function(x, y);  // text is compiled now
  for (auto _ : state) benchmark::DoNotOptimize(function(x, y));
  state.SetBytesProcessed(state.iterations() * 3 * x.nbytes());
}

void BM_MultiplyUfunc(benchmark::State& state) {
  run_binary(state, [](const Array& x, const Array& y) { return x * y; });
}

void BM_MultiplyText(benchmark::State& state) {
  const ElementwiseKernel kernel("T x, T y", "T z", "z = x * y", "product");
  run_binary(state,
             [&](const Array& x, const Array& y) { return kernel(x, y); });
}

void BM_MultiplyLambda(benchmark::State& state) {
  const auto product = [](float x, float y) { return x * y; };
  run_binary(state, [&](const Array& x, const Array& y) {
    return elementwise(product, x, y);
  });
}

void run_reduction(benchmark::State& state, const auto& function) {
  const Array x = ones({state.range(0), state.range(1)}, Dtype::kFloat32);
  function(x);
  for (auto _ : state) benchmark::DoNotOptimize(function(x));
  state.SetBytesProcessed(state.iterations() * x.nbytes());
}

void BM_SumText(benchmark::State& state) {
  const ReductionKernel kernel("T x", "T y", "x", "a + b", "y = a", "0", "add");
  const Axes axes = {state.range(2)};
  run_reduction(state,
                [&](const Array& x) { return kernel({x}, {.axis = axes}); });
}

void BM_SumReduction(benchmark::State& state) {
  const Axes axes = {state.range(2)};
  run_reduction(state, [&](const Array& x) { return sum(x, {.axis = axes}); });
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(10)->Arg(10007)->Arg(1 << 24)->UseRealTime();
}
BENCHMARK(BM_MultiplyUfunc)->Apply(sizes);
BENCHMARK(BM_MultiplyText)->Apply(sizes);
BENCHMARK(BM_MultiplyLambda)->Apply(sizes);

void layouts(benchmark::internal::Benchmark* b) {
  b->Args({4096, 4096, 0})
      ->Args({4096, 4096, 1})
      ->Args({1, 1 << 24, 1})
      ->UseRealTime();
}
BENCHMARK(BM_SumReduction)->Apply(layouts);
BENCHMARK(BM_SumText)->Apply(layouts);

}  // namespace
}  // namespace catena::array
