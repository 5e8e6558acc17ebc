// Execution plans beside the same eagerly.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "catena/array/onednn/description.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/tests/benchmarks/networks.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

using namespace benchmarks;

// --- Elementwise functions that follow each other ---

// Arrays of 64 MB. GB/s counts each input and the result once, however often
// memory is really read and written.
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

template <class Function>
void run_plan(benchmark::State& state, const Function& function) {
  F::ExecutionPlan plan(function);
  run(state, [&](const std::vector<Variable>& in) { return plan(in); });
}

void multiply_add_eager(benchmark::State& state) { run(state, multiply_add); }
BENCHMARK(multiply_add_eager)->UseRealTime();

void multiply_add_plan(benchmark::State& state) {
  run_plan(state, multiply_add);
}
BENCHMARK(multiply_add_plan)->UseRealTime();

void chain_eager(benchmark::State& state) { run(state, chain); }
BENCHMARK(chain_eager)->UseRealTime();

void chain_plan(benchmark::State& state) { run_plan(state, chain); }
BENCHMARK(chain_plan)->UseRealTime();

// --- ResNet-50 ---

// Inference by an execution plan, with the precision and the check of weights.
void resnet50_plan(benchmark::State& state, Dtype precision,
                   F::PlanCheck weights) {
  if (!cpu::onednn::computes_in(precision)) {
    state.SkipWithError("the processor has no instructions for bfloat16");
    return;
  }
  ResNet50 model;
  const Shape images = {state.range(0), 3, 224, 224};
  const Variable x =
      as_variable(array::random::uniform(-1.0, 1.0, images, Dtype::kFloat32));
  const auto test = using_config(&Config::train, false);
  const auto scope = no_backprop_mode();
  F::ExecutionPlan plan([&](const Variable& x) { return model.forward(x); },
                        {.precision = precision,
                         .weights = weights,
                         .measure_steps = std::getenv("STEPS") != nullptr});
  plan(x);
  const PeakMemory memory;
  for (auto _ : state) benchmark::DoNotOptimize(plan(x));
  state.counters["images"] =
      benchmark::Counter(static_cast<double>(state.range(0)),
                         benchmark::Counter::kIsIterationInvariantRate);
  memory.report(state);
  for (const F::PlanStep& step : plan.steps()) {
    if (step.seconds == 0) break;
    std::cerr << step.seconds << ' ' << step.kind << ' ' << step.functions
              << ' ' << step.shape << '\n';
  }
}
BENCHMARK_CAPTURE(resnet50_plan, float32, Dtype::kFloat32, F::PlanCheck::kAll)
    ->Arg(1)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resnet50_plan, float32_unchecked, Dtype::kFloat32,
                  F::PlanCheck::kNone)
    ->Arg(1)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resnet50_plan, bfloat16, Dtype::kBFloat16, F::PlanCheck::kAll)
    ->Arg(1)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
