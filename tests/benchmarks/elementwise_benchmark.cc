// Elementwise functions that follow each other, eagerly and in an execution
// plan, on arrays of 64 MB. GB/s counts each input and the result once, however
// often memory is really read and written.

#include <benchmark/benchmark.h>

#include <vector>

#include "catena/array/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/plan/execution_plan.h"

namespace catena {
namespace {

namespace F = functions;

constexpr int64_t kElements = int64_t{1} << 24;

std::vector<Variable> multiply_add(const std::vector<Variable>& in) {
  return {in[0] * in[1] + in[2]};
}

// Five functions: the swish of a sum, times the third.
std::vector<Variable> chain(const std::vector<Variable>& in) {
  const Variable h = in[0] + in[1];
  return {h * F::sigmoid(h * 1.5) * in[2]};
}

template <class Function>
void run(benchmark::State& state, const Function& function) {
  std::vector<Variable> in;
  for (int i = 0; i < 3; ++i) {
    in.push_back(
        array::random::uniform(-1.0, 1.0, {kElements}, Dtype::kFloat32));
  }
  const auto scope = no_backprop_mode();
  for (int i = 0; i < 2; ++i) benchmark::DoNotOptimize(function(in));
  for (auto _ : state) benchmark::DoNotOptimize(function(in));
  state.SetBytesProcessed(state.iterations() * 4 * kElements *
                          static_cast<int64_t>(sizeof(float)));
}

void multiply_add_eager(benchmark::State& state) { run(state, multiply_add); }
BENCHMARK(multiply_add_eager)->UseRealTime();

void multiply_add_plan(benchmark::State& state) {
  F::ExecutionPlan plan(multiply_add);
  run(state, [&](const std::vector<Variable>& in) { return plan(in); });
}
BENCHMARK(multiply_add_plan)->UseRealTime();

void chain_eager(benchmark::State& state) { run(state, chain); }
BENCHMARK(chain_eager)->UseRealTime();

void chain_plan(benchmark::State& state) {
  F::ExecutionPlan plan(chain);
  run(state, [&](const std::vector<Variable>& in) { return plan(in); });
}
BENCHMARK(chain_plan)->UseRealTime();

}  // namespace
}  // namespace catena
