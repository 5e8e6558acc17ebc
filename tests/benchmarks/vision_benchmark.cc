// Training and inference of convolutional networks on synthetic images.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "catena/array/cpu/onednn/description.h"
#include "catena/array/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/benchmarks/networks.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

using namespace benchmarks;

Variable images(int64_t batch, int64_t channels, int64_t side,
                Dtype dtype = Dtype::kFloat32) {
  const Shape shape = {batch, channels, side, side};
  return as_variable(array::random::uniform(-1.0, 1.0, shape, Dtype::kFloat32)
                         .astype(dtype, Array::CopyPolicy::kIfNeeded));
}

Variable labels(int64_t batch, int64_t classes) {
  return as_variable(
      array::random::randint(0, classes, {batch}).astype(Dtype::kInt32));
}

void count_images(benchmark::State& state, int64_t batch) {
  state.counters["images"] =
      benchmark::Counter(static_cast<double>(batch),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// Steps of MomentumSGD on one batch.
template <class Model>
void train(benchmark::State& state, Model& model, const Variable& x,
           int64_t classes) {
  const PeakMemory memory;
  const int64_t batch = x.shape()[0];
  const Variable t = labels(batch, classes);
  optimizers::MomentumSGD optimizer({.lr = 1e-4});
  optimizer.setup(model);
  if (x.dtype() != Dtype::kFloat32) optimizer.use_fp32_update();
  const auto step = [&] {
    optimizer.update(
        [&] { return F::softmax_cross_entropy(model.forward(x), t); });
  };
  step();  // initializes the parameters
  for (auto _ : state) step();
  count_images(state, batch);
  memory.report(state);
}

void lenet_train(benchmark::State& state) {
  LeNet model;
  train(state, model, images(64, 1, 28), 10);
}
BENCHMARK(lenet_train)->UseRealTime()->Unit(benchmark::kMillisecond);

void vgg_cifar_train(benchmark::State& state) {
  Vgg model(10);
  train(state, model, images(32, 3, 32), 10);
}
BENCHMARK(vgg_cifar_train)->UseRealTime()->Unit(benchmark::kMillisecond);

// In bfloat16, a float32 copy of each parameter is updated.
void resnet50_train(benchmark::State& state, Dtype dtype) {
  const auto scope = using_config(&Config::dtype, dtype);
  ResNet50 model;
  train(state, model, images(4, 3, 224, dtype), 1000);
}
BENCHMARK_CAPTURE(resnet50_train, float32, Dtype::kFloat32)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resnet50_train, bfloat16, Dtype::kBFloat16)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void resnet50_infer(benchmark::State& state) {
  ResNet50 model;
  const Variable x = images(state.range(0), 3, 224);
  const PeakMemory memory;
  const auto test = using_config(&Config::train, false);
  const auto scope = no_backprop_mode();
  model.forward(x);  // initializes the parameters and takes the memory
  for (auto _ : state) benchmark::DoNotOptimize(model.forward(x));
  count_images(state, state.range(0));
  memory.report(state);
}
BENCHMARK(resnet50_infer)
    ->Arg(1)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Inference by an execution plan, with the precision and the check of weights.
void resnet50_plan(benchmark::State& state, Dtype precision,
                   F::PlanCheck weights) {
  if (!cpu::onednn::computes_in(precision)) {
    state.SkipWithError("the processor has no instructions for bfloat16");
    return;
  }
  ResNet50 model;
  const Variable x = images(state.range(0), 3, 224);
  const auto test = using_config(&Config::train, false);
  const auto scope = no_backprop_mode();
  F::ExecutionPlan plan([&](const Variable& x) { return model.forward(x); },
                        {.precision = precision,
                         .weights = weights,
                         .measure_steps = std::getenv("STEPS") != nullptr});
  plan(x);
  const PeakMemory memory;
  for (auto _ : state) benchmark::DoNotOptimize(plan(x));
  count_images(state, state.range(0));
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
