// einsum and tensordot compared with the equivalent BLAS call; 16-bit products;
// products of few rows.

#include <benchmark/benchmark.h>
#include <cblas.h>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/einsum.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/linalg/products.h"
#include "catena/array/random/random.h"

namespace catena::array {
namespace {

Array numbers(const Shape& shape) {
  return random::uniform(0, 1, shape, Dtype::kFloat32);
}

void count(benchmark::State& state, int64_t multiplications) {
  state.counters["flops"] =
      benchmark::Counter(2.0 * static_cast<double>(multiplications),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void blas(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  const Array a = numbers({n, n});
  const Array b = numbers({n, n});
  const Array c = empty({n, n}, Dtype::kFloat32);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1,
                a.data<float>(), n, b.data<float>(), n, 0, c.data<float>(), n);
  }
  count(state, int64_t{n} * n * n);
}

void einsum_product(benchmark::State& state, const char* subscripts) {
  const int64_t n = state.range(0);
  const Array a = numbers({n, n});
  const Array b = numbers({n, n});
  for (auto _ : state) benchmark::DoNotOptimize(einsum(subscripts, {a, b}));
  count(state, n * n * n);
}

// (16, n, n / 16) by (16, n / 16, n): the summed axes cannot be merged in
// either order.
void tensordot_two_axes(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Array a = numbers({n / 16, n, 16});
  const Array b = numbers({16, n / 16, n});
  for (auto _ : state) {
    benchmark::DoNotOptimize(tensordot(a, b, {0, 2}, {1, 0}));
  }
  count(state, n * n * n);
}

// The scores of attention: (batch, query, head, unit) by (batch, key, head,
// unit).
void einsum_attention(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Array q = numbers({8, n, 4, 64});
  const Array k = numbers({8, n, 4, 64});
  for (auto _ : state) {
    benchmark::DoNotOptimize(einsum("bqhu,bkhu->bhqk", {q, k}));
  }
  count(state, 8 * n * n * 4 * 64);
}

void matmul_attention(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Array q = numbers({8, 4, n, 64});
  const Array k = numbers({8, 4, n, 64});
  for (auto _ : state) {
    benchmark::DoNotOptimize(matmul(q, k, {.transb = true}));
  }
  count(state, 8 * n * n * 4 * 64);
}

// (m, k) by (k, n) in bfloat16, or with the first matrix transposed.
void bfloat16(benchmark::State& state) {
  const int64_t m = state.range(0);
  const int64_t n = state.range(1);
  const int64_t k = state.range(2);
  const bool transa = state.range(3) != 0;
  const Array a = numbers(transa ? Shape{k, m} : Shape{m, k});
  const Array x = a.astype(Dtype::kBFloat16);
  const Array y = numbers({k, n}).astype(Dtype::kBFloat16);
  const Array c = empty({m, n}, Dtype::kBFloat16);
  for (auto _ : state) gemm(x, y, c, {.transa = transa});
  count(state, m * n * k);
}

// (m, k) by the transpose of (n, k), as for a few rows of a linear layer; bytes
// are those of the second matrix.
void rows(benchmark::State& state, Dtype dtype) {
  const int64_t m = state.range(0);
  const int64_t n = state.range(1);
  const int64_t k = state.range(2);
  const Array x = numbers({m, k}).astype(dtype);
  const Array y = numbers({n, k}).astype(dtype);
  const Array c = empty({m, n}, dtype);
  for (auto _ : state) gemm(x, y, c, {.transb = true});
  state.SetBytesProcessed(state.iterations() * y.nbytes());
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(16)->Arg(128)->Arg(1008)->UseRealTime();
}

// From a layer within a core's caches to the 50,257 tokens of GPT-2.
void row_sizes(benchmark::internal::Benchmark* b) {
  for (const int64_t m : {1, 4}) {
    b->Args({m, 10, 100})->Args({m, 128, 128})->Args({m, 768, 768});
    b->Args({m, 50257, 768});
  }
  b->UseRealTime();
}

BENCHMARK(blas)->Apply(sizes);
BENCHMARK_CAPTURE(einsum_product, plain, "ij,jk->ik")->Apply(sizes);
BENCHMARK_CAPTURE(einsum_product, transposed, "ji,kj->ki")->Apply(sizes);
BENCHMARK(bfloat16)
    ->ArgsProduct({{256, 2048}, {64, 2048}, {512, 2048}, {0, 1}})
    ->UseRealTime();
BENCHMARK_CAPTURE(rows, float32, Dtype::kFloat32)->Apply(row_sizes);
BENCHMARK_CAPTURE(rows, float16, Dtype::kFloat16)->Apply(row_sizes);
BENCHMARK_CAPTURE(rows, bfloat16, Dtype::kBFloat16)->Apply(row_sizes);
BENCHMARK(tensordot_two_axes)->Apply(sizes);
BENCHMARK(matmul_attention)->Arg(17)->Arg(256)->UseRealTime();
BENCHMARK(einsum_attention)->Arg(17)->Arg(256)->UseRealTime();

}  // namespace
}  // namespace catena::array
