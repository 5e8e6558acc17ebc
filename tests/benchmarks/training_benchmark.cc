// Whole training steps: forward, backward and update of multilayer perceptrons
// on synthetic images, and an Adam step by itself.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/sgd.h"

namespace catena {
namespace {

namespace F = functions;
namespace L = links;

constexpr int64_t kBatch = 100;
constexpr int64_t kPixels = 784;
constexpr int64_t kClasses = 10;

class MLP : public Chain<MLP> {
 public:
  explicit MLP(int64_t units)
      : l1(this, "l1", kPixels, units),
        l2(this, "l2", units, units),
        l3(this, "l3", units, kClasses) {}

  Variable forward(const Variable& x, const Variable& t) {
    return F::softmax_cross_entropy(l3(F::relu(l2(F::relu(l1(x))))), t);
  }

 private:
  Child<L::Linear> l1, l2, l3;
};

void train(benchmark::State& state, Optimizer& optimizer, int64_t units) {
  array::random::seed(0);
  MLP model(units);
  optimizer.setup(model);
  const Variable x = as_variable(
      array::random::uniform(0.0, 1.0, {kBatch, kPixels}, Dtype::kFloat32));
  const Variable t = as_variable(
      array::random::randint(0, kClasses, {kBatch}).astype(Dtype::kInt32));
  const LossInputs batch(std::vector<Variable>{x, t});
  for (auto _ : state) optimizer.update(optimizer.loss_function(), batch);
  state.counters["images"] =
      benchmark::Counter(kBatch, benchmark::Counter::kIsIterationInvariantRate);
}

void mlp_train(benchmark::State& state) {
  optimizers::Adam adam;
  train(state, adam, 1000);
}
BENCHMARK(mlp_train)->UseRealTime()->Unit(benchmark::kMillisecond);

void mlp_train_small(benchmark::State& state) {
  optimizers::SGD sgd;
  train(state, sgd, 100);
}
BENCHMARK(mlp_train_small)->UseRealTime()->Unit(benchmark::kMicrosecond);

// 25 million parameters in 50 tensors.
class ManyParams : public Link {
 public:
  ManyParams() {
    for (int i = 0; i < 50; ++i) {
      params.push_back(std::make_unique<Param>(
          this, std::to_string(i), Initializer(0.5), Shape{500, 1000}));
      params.back()->set_grad(array::full_like(params.back()->data(), 0.01));
    }
  }
  std::vector<std::unique_ptr<Param>> params;
};

void adam_step(benchmark::State& state) {
  ManyParams link;
  optimizers::Adam adam;
  adam.setup(link);
  adam.update();  // creates the moments
  for (auto _ : state) adam.update();
  // Gradient, parameter and two moments are read; the last three are written.
  state.SetBytesProcessed(state.iterations() * link.count_params() * 7 * 4);
}
BENCHMARK(adam_step)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
