// Steps of every algorithm over the parameters of several networks, compared
// with copying as many bytes and with updating one parameter at a time.
//
//   bazel run -c opt //optimizers:optimizers_benchmark

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/links/link.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/ada_grad.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/adamw.h"
#include "catena/optimizers/corrected_momentum_sgd.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/msvag.h"
#include "catena/optimizers/nesterov_ag.h"
#include "catena/optimizers/rmsprop.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/smorms3.h"

namespace catena::optimizers {
namespace {

class Params : public Link {
 public:
  explicit Params(const std::vector<int64_t>& sizes,
                  Dtype dtype = Dtype::kFloat32) {
    for (const int64_t size : sizes) {
      params_.push_back(std::make_unique<Param>(
          this, std::to_string(params_.size()),
          Initializer([](const Array& out) { out.fill(0.5); }, dtype),
          Shape{size}));
      params_.back()->set_grad(array::full_like(params_.back()->data(), 0.01));
    }
  }

 private:
  std::vector<std::unique_ptr<Param>> params_;
};

// A perceptron of 100 units, LeNet, and 53 convolutions with their
// normalizations, as ResNet-50 has; 25 million in 50 parameters.
std::vector<int64_t> sizes_of(int64_t network) {
  switch (network) {
    case 0:
      return {78400, 100, 10000, 100, 1000, 10};
    case 1:
      return {500, 20, 25000, 50, 400000, 500, 5000, 10};
    case 2: {
      std::vector<int64_t> sizes;
      for (int i = 0; i < 53; ++i) {
        sizes.insert(sizes.end(), {int64_t{4096} << (i % 5), 64, 64});
      }
      return sizes;
    }
    default:
      return std::vector<int64_t>(50, 500'000);
  }
}

// The bytes that a step with `states` arrays per parameter must move: all are
// read, and all but the gradient written.
int64_t bytes_of(const Link& link, int64_t states) {
  return link.count_params() * 4 * (3 + 2 * states);
}

template <class Algorithm, int states>
void step(benchmark::State& state) {
  Params link(sizes_of(state.range(0)));
  Algorithm optimizer;
  optimizer.setup(link);
  optimizer.update();  // makes the states
  for (auto _ : state) optimizer.update();
  state.SetBytesProcessed(state.iterations() * bytes_of(link, states));
}

// One parameter after another.
void one_by_one(benchmark::State& state) {
  Params link(sizes_of(state.range(0)));
  Adam optimizer;
  optimizer.setup(link);
  optimizer.update();
  const auto params = link.params();
  for (auto _ : state) {
    for (const Parameter& param : params) param.update();
  }
  state.SetBytesProcessed(state.iterations() * bytes_of(link, 2));
}

void weight_decay_and_clipping(benchmark::State& state) {
  Params link(sizes_of(state.range(0)));
  SGD optimizer;
  optimizer.setup(link);
  optimizer.add_hook(WeightDecay(1e-4));
  optimizer.add_hook(GradientClipping(1e6));
  for (auto _ : state) optimizer.update();
}

// AdamW with clipped gradients, in one pass over memory, or with a pass for the
// clipping: bytes are those of one pass. In bfloat16 with float32 copies.
template <Dtype dtype, bool joins>
void clipped_adamw(benchmark::State& state) {
  Params link(sizes_of(state.range(0)), dtype);
  AdamW optimizer;
  optimizer.setup(link);
  optimizer.use_fp32_update();
  if (joins) {
    optimizer.add_hook(GradientClipping(1e-6));
  } else {
    optimizer.add_hook("clip", GradientClipping(1e-6));
  }
  optimizer.update();
  for (auto _ : state) {
    for (const Parameter& param : link.params())
      param.mutable_grad().fill(0.01);
    optimizer.update();
  }
}

void copy(benchmark::State& state) {
  std::vector<Array> from, to;
  for (const int64_t size : sizes_of(state.range(0))) {
    from.push_back(array::ones({size}, Dtype::kFloat32));
    to.push_back(array::ones({size}, Dtype::kFloat32));
  }
  int64_t bytes = 0;
  for (const Array& a : from) bytes += 2 * a.nbytes();
  for (auto _ : state) {
    for (size_t i = 0; i < from.size(); ++i) to[i].assign(from[i]);
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

void networks(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Unit(benchmark::kMicrosecond)->DenseRange(0, 3);
}
void large(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Unit(benchmark::kMicrosecond)->Arg(3);
}

BENCHMARK(copy)->Apply(networks);
BENCHMARK(step<Adam, 2>)->Apply(networks);
BENCHMARK(one_by_one)->Apply(networks);
BENCHMARK(step<SGD, 0>)->Apply(networks);
BENCHMARK(weight_decay_and_clipping)->Apply(networks);
BENCHMARK(clipped_adamw<Dtype::kFloat32, true>)->Apply(large);
BENCHMARK(clipped_adamw<Dtype::kFloat32, false>)->Apply(large);
BENCHMARK(clipped_adamw<Dtype::kBFloat16, true>)->Apply(large);
BENCHMARK(clipped_adamw<Dtype::kBFloat16, false>)->Apply(large);
BENCHMARK(step<MomentumSGD, 1>)->Apply(large);
BENCHMARK(step<CorrectedMomentumSGD, 1>)->Apply(large);
BENCHMARK(step<NesterovAG, 1>)->Apply(large);
BENCHMARK(step<AdaGrad, 1>)->Apply(large);
BENCHMARK(step<AdaDelta, 2>)->Apply(large);
BENCHMARK(step<RMSprop, 1>)->Apply(large);
BENCHMARK(step<RMSpropGraves, 3>)->Apply(large);
BENCHMARK(step<SMORMS3, 3>)->Apply(large);
BENCHMARK(step<MSVAG, 2>)->Apply(large);

}  // namespace
}  // namespace catena::optimizers
