// Random numbers per second, compared with filling the same memory with zeros.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"

namespace catena {
namespace {

namespace xp = catena::array;

template <class Draw>
void run(benchmark::State& state, Draw draw) {
  xp::random::Generator generator(1, native_device());
  const Shape shape = {state.range(0)};
  for (auto _ : state) benchmark::DoNotOptimize(draw(generator, shape));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void zeros(benchmark::State& state) {
  run(state, [](auto&, const Shape& shape) {
    return xp::zeros(shape, Dtype::kFloat32);
  });
}

template <Dtype dtype>
void uniform(benchmark::State& state) {
  run(state, [](auto& generator, const Shape& shape) {
    return generator.uniform(0, 1, shape, dtype);
  });
}

template <Dtype dtype>
void normal(benchmark::State& state) {
  run(state, [](auto& generator, const Shape& shape) {
    return generator.normal(0, 1, shape, dtype);
  });
}

void bernoulli(benchmark::State& state) {
  run(state, [](auto& generator, const Shape& shape) {
    return generator.bernoulli(0.5, shape, Dtype::kFloat32, 2);
  });
}

void permutation(benchmark::State& state) {
  run(state, [](auto& generator, const Shape& shape) {
    return generator.permutation(shape[0]);
  });
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(101)->Arg(100000)->Arg(16 << 20)->UseRealTime();
}

BENCHMARK(zeros)->Apply(sizes);
BENCHMARK(uniform<Dtype::kFloat32>)->Apply(sizes);
BENCHMARK(uniform<Dtype::kFloat64>)->Apply(sizes);
BENCHMARK(normal<Dtype::kFloat32>)->Apply(sizes);
BENCHMARK(normal<Dtype::kFloat64>)->Apply(sizes);
BENCHMARK(bernoulli)->Apply(sizes);
BENCHMARK(permutation)->Apply(sizes);

}  // namespace
}  // namespace catena
