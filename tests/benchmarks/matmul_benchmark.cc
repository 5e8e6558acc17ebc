// Matrix products compared with plain BLAS, alternating, since machines vary
// from second to second: "of_blas" is the ratio of the best times.

#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"

namespace catena {
namespace {

// (m, k) by (k, n); with transb the second matrix is given as (n, k) and used
// transposed, as linear layers do. With is_far, the second matrix cycles
// through more matrices than fit in the caches, as in a program with many
// layers.
struct Sizes {
  int64_t m;
  int64_t k;
  int64_t n;
  bool transb;
  bool is_far;
};

constexpr int64_t kFarBytes = 64 << 20;

template <class F>
double seconds(F f, int repeats) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) f();
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - begin;
  return time.count() / repeats;
}

void matmul(benchmark::State& state) {
  const Sizes size = {state.range(0), state.range(1), state.range(2),
                      state.range(3) == 1, state.range(4) == 1};
  const Array a =
      array::random::uniform(-1, 1, {size.m, size.k}).astype(Dtype::kFloat32);
  const Shape b_shape =
      size.transb ? Shape{size.n, size.k} : Shape{size.k, size.n};
  std::vector<Array> bs(size.is_far ? kFarBytes / (size_of(b_shape) * 4) + 1
                                    : 1);
  for (Array& b : bs) {
    b = array::random::uniform(-1, 1, b_shape).astype(Dtype::kFloat32);
  }
  size_t turn = 0;
  const auto next_b = [&]() -> const Array& {
    turn = turn + 1 == bs.size() ? 0 : turn + 1;
    return bs[turn];
  };
  const Array out = array::zeros({size.m, size.n}, Dtype::kFloat32);
  const auto blas = [&] {
    cblas_sgemm(
        CblasRowMajor, CblasNoTrans, size.transb ? CblasTrans : CblasNoTrans,
        static_cast<int>(size.m), static_cast<int>(size.n),
        static_cast<int>(size.k), 1, a.data<float>(), static_cast<int>(size.k),
        next_b().data<float>(), static_cast<int>(b_shape[1]), 0,
        out.data<float>(), static_cast<int>(size.n));
  };
  const auto own = [&] {
    benchmark::DoNotOptimize(
        array::matmul(a, next_b(), {.transb = size.transb}));
  };
  const double operations =
      2.0 * static_cast<double>(size.m * size.n) * static_cast<double>(size.k);
  // Short calls are timed in groups, to hide the overhead of the clock; the
  // reported time is that of the group.
  const int repeats = static_cast<int>(std::clamp(2e7 / operations, 1.0, 1e3));
  double best = std::numeric_limits<double>::max();
  double best_blas = best;
  seconds(own, 1);
  seconds(blas, 1);
  for (auto _ : state) {
    const double time = seconds(own, repeats);
    state.SetIterationTime(time * repeats);
    best = std::min(best, time);
    best_blas = std::min(best_blas, seconds(blas, repeats));
  }
  state.counters["GFLOP/s"] = operations / best / 1e9;
  state.counters["blas_GFLOP/s"] = operations / best_blas / 1e9;
  state.counters["of_blas"] = best_blas / best;
}
BENCHMARK(matmul)
    ->Args({2048, 2048, 2048, 0, 0})
    ->Args({1024, 1024, 1024, 0, 0})
    ->Args({100, 784, 1000, 1, 0})
    ->Args({100, 1000, 1000, 1, 0})
    ->Args({100, 1000, 10, 1, 0})
    ->Args({100, 64, 100, 1, 0})
    ->Args({10, 10, 10, 0, 0})
    ->Args({1, 4096, 4096, 0, 1})
    ->Args({20, 650, 2600, 1, 1})
    ->Args({20, 2600, 650, 0, 1})
    ->Args({20, 650, 10000, 1, 1})
    ->Args({20, 10000, 650, 0, 1})
    ->Args({20, 4096, 4096, 0, 1})
    ->Args({128, 4096, 4096, 1, 1})
    ->Args({700, 650, 2600, 1, 0})
    ->ArgNames({"m", "k", "n", "transb", "far"})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// 64 products of 128 by 128.
void bmm_64x128(benchmark::State& state) {
  const Array a =
      array::random::uniform(-1, 1, {64, 128, 128}).astype(Dtype::kFloat32);
  for (auto _ : state) benchmark::DoNotOptimize(array::matmul(a, a));
  state.counters["GFLOP/s"] =
      benchmark::Counter(64 * 2.0 * 128 * 128 * 128 / 1e9,
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(bmm_64x128)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace catena
