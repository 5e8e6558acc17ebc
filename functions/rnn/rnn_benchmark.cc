// An LSTM layer of a language model, 35 steps of 20 rows with 650 units: step
// by step and as one function, compared with its matrix products alone and its
// elementwise part alone. words/s counts rows of all steps.

#include <benchmark/benchmark.h>

#include <vector>

#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/functions/activation/lstm.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/rnn/n_step_lstm.h"

namespace catena::functions {
namespace {

constexpr int64_t kSteps = 35;
constexpr int64_t kBatch = 20;
constexpr int64_t kUnits = 650;

Array numbers(const Shape& shape) {
  return array::random::uniform(-0.1, 0.1, shape, Dtype::kFloat32);
}
Variable variable(const Shape& shape) { return Variable(numbers(shape)); }

void count_words(benchmark::State& state) {
  state.counters["words/s"] =
      benchmark::Counter(static_cast<double>(kSteps * kBatch),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// The products of a layer: forward, or forward and backward.
void products_alone(benchmark::State& state, bool backward) {
  const Array W = numbers({4 * kUnits, kUnits});
  const Array x = numbers({kSteps * kBatch, kUnits});
  const Array gates = numbers({kSteps * kBatch, 4 * kUnits});
  const Array h = numbers({kBatch, kUnits});
  const Array sources = numbers({kBatch, 4 * kUnits});
  const Array gW = numbers({4 * kUnits, kUnits});
  for (auto _ : state) {
    array::gemm(x, W, gates, {.transb = true});
    for (int t = 0; t < kSteps; ++t) {
      array::gemm(h, W, sources, {.transb = true});
    }
    if (!backward) continue;
    for (int t = 0; t < kSteps; ++t) array::gemm(sources, W, h);
    array::gemm(gates, W, x);
    array::gemm(gates, x, gW, {.transa = true});
    array::gemm(gates, x, gW, {.transa = true});
  }
  count_words(state);
}
BENCHMARK_CAPTURE(products_alone, forward, false)->UseRealTime();
BENCHMARK_CAPTURE(products_alone, both, true)->UseRealTime();

struct Weights {
  std::vector<std::vector<Variable>> ws{{}};
  std::vector<std::vector<Variable>> bs{{}};

  Weights() {
    for (int j = 0; j < 8; ++j) {
      ws[0].push_back(variable({kUnits, kUnits}));
      bs[0].push_back(variable({kUnits}));
    }
  }
  void cleargrads() const {
    for (int j = 0; j < 8; ++j) {
      ws[0][j].cleargrad();
      bs[0][j].cleargrad();
    }
  }
};

void n_step(benchmark::State& state, bool backward) {
  const Weights weights;
  const Variable hx = variable({1, kBatch, kUnits});
  const Variable cx = variable({1, kBatch, kUnits});
  std::vector<Variable> xs;
  for (int t = 0; t < kSteps; ++t) xs.push_back(variable({kBatch, kUnits}));
  const std::vector<Variable> gys(
      kSteps, as_variable(array::ones({kBatch, kUnits}, Dtype::kFloat32)));
  for (auto _ : state) {
    const auto result = n_step_lstm(1, 0, hx, cx, weights.ws, weights.bs, xs);
    if (!backward) continue;
    weights.cleargrads();
    catena::backward(result.ys, gys);
  }
  count_words(state);
}
BENCHMARK_CAPTURE(n_step, forward, false)->UseRealTime();
BENCHMARK_CAPTURE(n_step, both, true)->UseRealTime();

void step_by_step(benchmark::State& state, bool backward) {
  const Variable Wx = variable({4 * kUnits, kUnits});
  const Variable Wh = variable({4 * kUnits, kUnits});
  const Variable b = variable({4 * kUnits});
  const Variable x = variable({kBatch, kUnits});
  const std::vector<Variable> gys(
      kSteps, as_variable(array::ones({kBatch, kUnits}, Dtype::kFloat32)));
  for (auto _ : state) {
    Variable c = variable({kBatch, kUnits});
    Variable h = variable({kBatch, kUnits});
    std::vector<Variable> ys;
    for (int t = 0; t < kSteps; ++t) {
      const auto [next_c, next_h] = lstm(c, linear(x, Wx, b) + linear(h, Wh));
      c = next_c;
      h = next_h;
      ys.push_back(h);
    }
    if (!backward) continue;
    for (const Variable& v : {Wx, Wh, b, x}) v.cleargrad();
    catena::backward(ys, gys);
  }
  count_words(state);
}
BENCHMARK_CAPTURE(step_by_step, forward, false)->UseRealTime();
BENCHMARK_CAPTURE(step_by_step, both, true)->UseRealTime();

// The gates of all steps, without matrix products.
void gates_alone(benchmark::State& state, bool backward) {
  const Variable c = variable({kBatch, kUnits});
  const Variable x = variable({kBatch, 4 * kUnits});
  const Variable gy =
      as_variable(array::ones({kBatch, kUnits}, Dtype::kFloat32));
  for (auto _ : state) {
    for (int t = 0; t < kSteps; ++t) {
      const auto [next_c, h] = lstm(c, x);
      if (!backward) continue;
      c.cleargrad();
      x.cleargrad();
      catena::backward({next_c, h}, {gy, gy});
    }
  }
  count_words(state);
}
BENCHMARK_CAPTURE(gates_alone, forward, false)->UseRealTime();
BENCHMARK_CAPTURE(gates_alone, both, true)->UseRealTime();

}  // namespace
}  // namespace catena::functions
