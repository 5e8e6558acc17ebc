// Attention of GPT-2's heads, beside the product of two large matrices, whose
// rate is what its own products could reach. Flops are those of the products:
// of all scores that are seen, 4 d forward and 10 d backward.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/attention/plain_attention.h"

namespace catena::functions {
namespace {

Array normal(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
  return array::random::generator()
      .normal(0, 1, shape, Dtype::kFloat32)
      .astype(dtype);
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void product(benchmark::State& state) {
  constexpr int64_t kExtent = 2048;
  const Array a = normal({kExtent, kExtent});
  const Array b = normal({kExtent, kExtent});
  const Array y = array::empty_like(a);
  for (auto _ : state) array::gemm(a, b, y);
  count_flops(state, 2.0 * kExtent * kExtent * kExtent);
}

// Twelve heads of 64, of one sequence whose length is the argument; causal.
struct Heads {
  Variable q;
  Variable k;
  Variable v;

  Heads(const benchmark::State& state, Dtype dtype) {
    for (Variable* x : {&q, &k, &v}) {
      *x = Variable(normal({1, 12, state.range(0), 64}, dtype));
    }
  }
  double products() const {
    const auto length = static_cast<double>(q.shape()[2]);
    return 12 * length * (length + 1) / 2 * 2 * 64;
  }
};

template <Dtype dtype>
void forward(benchmark::State& state) {
  const Heads heads(state, dtype);
  for (auto _ : state) attention(heads.q, heads.k, heads.v, {.causal = true});
  count_flops(state, 2 * heads.products());
}

template <Dtype dtype>
void backward(benchmark::State& state) {
  const Heads heads(state, dtype);
  const Array gy = normal(heads.q.shape(), dtype);
  const Variable y = attention(heads.q, heads.k, heads.v, {.causal = true});
  for (auto _ : state) {
    y.set_grad(gy);
    y.backward();
    for (const Variable& x : {heads.q, heads.k, heads.v}) x.cleargrad();
  }
  count_flops(state, 5 * heads.products());
}

// All scores in memory.
void plain_forward(benchmark::State& state) {
  const Heads heads(state, Dtype::kFloat32);
  for (auto _ : state) {
    plain_attention(heads.q, heads.k, heads.v, {.scale = 0.125, .causal = true},
                    {});
  }
  count_flops(state, 2 * heads.products());
}

BENCHMARK(product)->UseRealTime();
BENCHMARK(forward<Dtype::kFloat32>)
    ->Arg(64)
    ->Arg(512)
    ->Arg(2048)
    ->UseRealTime();
BENCHMARK(backward<Dtype::kFloat32>)
    ->Arg(64)
    ->Arg(512)
    ->Arg(2048)
    ->UseRealTime();
BENCHMARK(forward<Dtype::kBFloat16>)->Arg(2048)->UseRealTime();
BENCHMARK(backward<Dtype::kBFloat16>)->Arg(2048)->UseRealTime();
BENCHMARK(plain_forward)->Arg(512)->Arg(2048)->UseRealTime();

}  // namespace
}  // namespace catena::functions
