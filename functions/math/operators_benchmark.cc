// A chain of 1,000 alternating multiplications and additions of 10-element
// variables: the overhead of one operation.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"

namespace catena {
namespace {

constexpr int kOperations = 1000;

Variable chain(const Variable& x, const Variable& w, const Variable& b) {
  Variable y = x;
  for (int i = 0; i < kOperations; i += 2) y = y * w + b;
  return y;
}

struct Operands {
  Variable x{array::full({10}, 0.5f, Dtype::kFloat32)};
  Variable w{array::full({10}, 0.999f, Dtype::kFloat32)};
  Variable b{array::full({10}, 0.001f, Dtype::kFloat32)};
};

void count_operations(benchmark::State& state) {
  state.counters["ns/op"] = benchmark::Counter(
      kOperations * 1e-9, benchmark::Counter::kIsIterationInvariantRate |
                              benchmark::Counter::kInvert);
}

void forward_without_graph(benchmark::State& state) {
  const Operands in;
  const auto scope = no_backprop_mode();
  for (auto _ : state) benchmark::DoNotOptimize(chain(in.x, in.w, in.b));
  count_operations(state);
}
BENCHMARK(forward_without_graph);

void forward(benchmark::State& state) {
  const Operands in;
  for (auto _ : state) benchmark::DoNotOptimize(chain(in.x, in.w, in.b));
  count_operations(state);
}
BENCHMARK(forward);

void forward_and_backward(benchmark::State& state) {
  const Operands in;
  const Array ones = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) {
    const Variable y = chain(in.x, in.w, in.b);
    y.set_grad(ones);
    y.backward();
    in.x.cleargrad();
    in.w.cleargrad();
    in.b.cleargrad();
  }
  count_operations(state);
}
BENCHMARK(forward_and_backward);

}  // namespace
}  // namespace catena
