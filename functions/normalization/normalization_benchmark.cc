// Normalizations of the images of well-known networks, compared with a copy of
// the input, since they are memory-bound.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/normalization/layer_normalization.h"

namespace catena::functions {
namespace {

Array uniform(const Shape& shape) {
  return array::random::generator().uniform(0, 1, shape, Dtype::kFloat32);
}

// (N, C, side, side), or (N, C) where side is 0.
Array input_of(const benchmark::State& state) {
  const int64_t side = state.range(2);
  if (side == 0) return uniform({state.range(0), state.range(1)});
  return uniform({state.range(0), state.range(1), side, side});
}

// Counts the bytes of each pass over x, y, gx or gy once.
void count_passes(benchmark::State& state, const Array& x, int64_t passes) {
  state.SetBytesProcessed(state.iterations() * passes * x.nbytes());
}

void copy(benchmark::State& state) {
  const Array x = input_of(state);
  const Array y = array::empty_like(x);
  for (auto _ : state) y.assign(x);
  count_passes(state, x, 2);
}

template <class F>
void run_both_ways(benchmark::State& state, const F& function) {
  const Variable x(input_of(state));
  const Shape channels{x.shape()[1]};
  const Variable gamma(array::ones(channels, Dtype::kFloat32));
  const Variable beta(array::zeros(channels, Dtype::kFloat32));
  const Array gy = uniform(x.shape());
  for (auto _ : state) {
    const Variable y = function(x, gamma, beta);
    y.set_grad(gy);
    y.backward();
    for (const Variable& input : {x, gamma, beta}) input.cleargrad();
  }
  // Forward reads x twice and writes y; backward reads x and gy twice and
  // writes gx.
  count_passes(state, x.data(), 8);
}

void batch_normalization_forward(benchmark::State& state) {
  const Variable x(input_of(state));
  const Shape channels{x.shape()[1]};
  const Variable gamma(array::ones(channels, Dtype::kFloat32));
  const Variable beta(array::zeros(channels, Dtype::kFloat32));
  for (auto _ : state) {
    benchmark::DoNotOptimize(batch_normalization(x, gamma, beta));
  }
  count_passes(state, x.data(), 3);
}

void batch_normalization_both_ways(benchmark::State& state) {
  run_both_ways(state, [](const Variable& x, const Variable& gamma,
                          const Variable& beta) {
    return batch_normalization(x, gamma, beta);
  });
}

void layer_normalization_both_ways(benchmark::State& state) {
  run_both_ways(state, [](const Variable& x, const Variable& gamma,
                          const Variable& beta) {
    return layer_normalization(x, gamma, beta);
  });
}

void shapes(benchmark::internal::Benchmark* b) {
  b->Args({8, 64, 112})
      ->Args({8, 512, 7})
      ->Args({1024, 1024, 0})
      ->Args({16384, 1000, 0});
}
BENCHMARK(copy)->Apply(shapes);
BENCHMARK(batch_normalization_forward)->Apply(shapes);
BENCHMARK(batch_normalization_both_ways)->Apply(shapes);
BENCHMARK(layer_normalization_both_ways)
    ->Args({1024, 1024, 0})
    ->Args({16384, 1000, 0});

}  // namespace
}  // namespace catena::functions
