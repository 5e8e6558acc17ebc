// Losses, forward and backward, compared with their bounds: for memory-bound
// losses, the machine's read bandwidth.

#include <benchmark/benchmark.h>

#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/random/sampling.h"
#include "catena/functions/loss/connectionist_temporal_classification.h"
#include "catena/functions/loss/hinge.h"
#include "catena/functions/loss/huber_loss.h"
#include "catena/functions/loss/linear_cross_entropy.h"
#include "catena/functions/loss/negative_sampling.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/matmul.h"
#include "catena/tests/benchmarks/machine_memory.h"

namespace catena {
namespace {

namespace F = catena::functions;
using array::random::generator;

Variable normal(const Shape& shape) {
  return Variable(generator().normal(0, 1, shape, Dtype::kFloat32));
}

// Skip-gram's output layer: 10,000 words of 100 dimensions, 5 samples. Samples
// drawn beforehand, and drawn each time.
void negative_sampling(benchmark::State& state) {
  const int64_t pairs = state.range(0);
  const bool draws = state.range(1) != 0;
  const Variable x = normal({pairs, 100});
  const Variable W = normal({10000, 100});
  const Array t = generator().randint(0, 10000, {pairs}, Dtype::kInt32);
  std::vector<double> weights;
  for (int i = 0; i < 10000; ++i) weights.push_back(1.0 / (i + 10));
  const array::random::WalkerAlias table{array::array(weights)};
  const Array drawn = table.sample({pairs, 6});
  const auto sampler = [&](const Shape& shape) {
    return draws ? table.sample(shape) : drawn;
  };
  for (auto _ : state) {
    F::negative_sampling(x, t, W, sampler, 5).backward();
    x.cleargrad();
    W.cleargrad();
  }
  state.counters["pairs/s"] =
      benchmark::Counter(static_cast<double>(pairs),
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(negative_sampling)
    ->ArgsProduct({{1000, 10000}, {0, 1}})
    ->ArgNames({"pairs", "draws"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void ctc(benchmark::State& state) {
  const int64_t steps = state.range(0);
  const int64_t symbols = state.range(1);
  constexpr int64_t kBatch = 32;
  std::vector<Variable> x;
  for (int64_t i = 0; i < steps; ++i) x.push_back(normal({kBatch, symbols}));
  const Array t =
      generator().randint(1, symbols, {kBatch, steps / 5}, Dtype::kInt32);
  for (auto _ : state) {
    F::connectionist_temporal_classification(x, t, 0).backward();
    for (const Variable& step : x) step.cleargrad();
  }
  state.counters["sequences/s"] =
      benchmark::Counter(kBatch, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(ctc)
    ->ArgsProduct({{100, 500}, {30, 1000}})
    ->ArgNames({"steps", "symbols"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The last layer of GPT-2, by parts and with all scores in memory. Flops are
// those of three products; by parts there is one more.
template <bool by_parts>
void words(benchmark::State& state) {
  constexpr int64_t kWords = 50257;
  constexpr int64_t kUnits = 768;
  const int64_t rows = state.range(0);
  const Variable x = normal({rows, kUnits});
  const Variable W(
      generator().normal(0, 0.02, {kWords, kUnits}, Dtype::kFloat32));
  const Array t = generator().randint(0, kWords, {rows}, Dtype::kInt32);
  for (auto _ : state) {
    const Variable loss = by_parts ? F::linear_cross_entropy(x, W, t)
                                   : F::softmax_cross_entropy(
                                         F::matmul(x, W, {.transb = true}), t);
    loss.backward();
    x.cleargrad();
    W.cleargrad();
  }
  state.counters["flops"] =
      benchmark::Counter(6.0 * static_cast<double>(rows) * kWords * kUnits,
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(words<true>)
    ->Arg(256)
    ->Arg(2048)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(words<false>)
    ->Arg(256)
    ->Arg(2048)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

constexpr int64_t kRows = 16384;
constexpr int64_t kColumns = 1000;
constexpr int64_t kBytes = kRows * kColumns * sizeof(float);

void read_scores(benchmark::State& state) {
  const Variable x = normal({kRows, kColumns});
  for (auto _ : state) benchmarks::read_memory(x.data().raw_data(), kBytes);
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(read_scores)->UseRealTime();

void hinge_forward(benchmark::State& state) {
  const Variable x = normal({kRows, kColumns});
  const Array t = generator().randint(0, kColumns, {kRows}, Dtype::kInt32);
  for (auto _ : state) benchmark::DoNotOptimize(F::hinge(x, t));
  state.SetBytesProcessed(state.iterations() * kBytes);
}
BENCHMARK(hinge_forward)->UseRealTime();

// Reads x twice and writes its gradient.
void hinge(benchmark::State& state) {
  const Variable x = normal({kRows, kColumns});
  const Array t = generator().randint(0, kColumns, {kRows}, Dtype::kInt32);
  for (auto _ : state) {
    F::hinge(x, t).backward();
    x.cleargrad();
  }
  state.SetBytesProcessed(state.iterations() * 3 * kBytes);
}
BENCHMARK(hinge)->UseRealTime();

// Must at least read x and t twice and write the gradient of x.
void huber_loss(benchmark::State& state) {
  const Variable x = normal({kRows, kColumns});
  const Variable t = as_variable(normal({kRows, kColumns}).data());
  const Array gy = array::ones({kRows}, Dtype::kFloat32);
  for (auto _ : state) {
    const Variable y = F::huber_loss(x, t, 1);
    y.set_grad(gy);
    y.backward();
    x.cleargrad();
  }
  state.SetBytesProcessed(state.iterations() * 5 * kBytes);
}
BENCHMARK(huber_loss)->UseRealTime();

}  // namespace
}  // namespace catena
