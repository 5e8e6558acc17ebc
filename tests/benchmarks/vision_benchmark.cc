// Training and inference of convolutional networks on synthetic images.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "catena/array/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/benchmarks/networks.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

using namespace benchmarks;

Variable images(int64_t batch, int64_t channels, int64_t side) {
  return as_variable(array::random::uniform(
      -1.0, 1.0, {batch, channels, side, side}, Dtype::kFloat32));
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

void resnet50_train(benchmark::State& state) {
  ResNet50 model;
  train(state, model, images(4, 3, 224), 1000);
}
BENCHMARK(resnet50_train)->UseRealTime()->Unit(benchmark::kMillisecond);

void resnet50_infer(benchmark::State& state) {
  ResNet50 model;
  const Variable x = images(state.range(0), 3, 224);
  const PeakMemory memory;
  const auto test = using_config(&Config::train, false);
  const auto scope = no_backprop_mode();
  for (auto _ : state) benchmark::DoNotOptimize(model.forward(x));
  count_images(state, state.range(0));
  memory.report(state);
}
BENCHMARK(resnet50_infer)
    ->Arg(1)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
