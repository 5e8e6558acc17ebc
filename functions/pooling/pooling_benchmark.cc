// Pooling of the images of well-known networks, compared with a copy of the
// input, since they are memory-bound.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"

namespace catena::functions {
namespace {

Array image_of(const benchmark::State& state) {
  return array::random::generator().uniform(
      0, 1, {8, state.range(0), state.range(1), state.range(1)},
      Dtype::kFloat32);
}

void count_bytes(benchmark::State& state, int64_t bytes) {
  state.SetBytesProcessed(state.iterations() * bytes);
}

void copy(benchmark::State& state) {
  const Array x = image_of(state);
  const Array y = array::empty_like(x);
  for (auto _ : state) y.assign(x);
  count_bytes(state, 2 * x.nbytes());
}

void max_pooling_forward(benchmark::State& state) {
  const Variable x(image_of(state));
  const auto scope = no_backprop_mode();
  Variable y;
  for (auto _ : state) {
    y = max_pooling_2d(x, state.range(2), {.stride = 2});
  }
  count_bytes(state, x.data().nbytes() + y.data().nbytes());
}

void max_pooling_both_ways(benchmark::State& state) {
  const Variable x(image_of(state));
  Variable y = max_pooling_2d(x, state.range(2), {.stride = 2});
  const Array gy = array::ones_like(y.data());
  for (auto _ : state) {
    y = max_pooling_2d(x, state.range(2), {.stride = 2});
    y.set_grad(gy);
    y.backward();
    x.cleargrad();
  }
  // x, gx; y, gy and the positions, which are written and read.
  count_bytes(state, 2 * x.data().nbytes() + 4 * gy.nbytes());
}

void average_pooling_both_ways(benchmark::State& state) {
  const Variable x(image_of(state));
  Variable y = average_pooling_2d(x, state.range(2), {.stride = 2});
  const Array gy = array::ones_like(y.data());
  for (auto _ : state) {
    y = average_pooling_2d(x, state.range(2), {.stride = 2});
    y.set_grad(gy);
    y.backward();
    x.cleargrad();
  }
  count_bytes(state, 2 * x.data().nbytes() + 2 * gy.nbytes());
}

// Channels, width, window: of VGG, of ResNet, of GoogLeNet and of LeNet.
void shapes(benchmark::internal::Benchmark* b) {
  b->Args({64, 112, 2})
      ->Args({64, 112, 3})
      ->Args({480, 27, 3})
      ->Args({160, 24, 2});
}
BENCHMARK(copy)->Apply(shapes);
BENCHMARK(max_pooling_forward)->Apply(shapes);
BENCHMARK(max_pooling_both_ways)->Apply(shapes);
BENCHMARK(average_pooling_both_ways)->Apply(shapes);

}  // namespace
}  // namespace catena::functions
