// A step of each optimizer over 25 million parameters in 50 tensors, in bytes
// of memory traffic: the gradient is read, the parameter and each state array
// are read and written. The baseline is a copy of the same number of bytes.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/links/link.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/ada_grad.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/corrected_momentum_sgd.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/msvag.h"
#include "catena/optimizers/nesterov_ag.h"
#include "catena/optimizers/rmsprop.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/smorms3.h"
#include "catena/tests/benchmarks/machine_memory.h"

namespace catena {
namespace {

constexpr int kTensors = 50;
constexpr int64_t kElements = 500'000;  // of each tensor

class ManyParams : public Link {
 public:
  ManyParams() {
    for (int i = 0; i < kTensors; ++i) {
      params.push_back(std::make_unique<Param>(this, std::to_string(i),
                                               Initializer(0.5),
                                               Shape{kElements / 1000, 1000}));
      params.back()->set_grad(array::full_like(params.back()->data(), 0.01));
    }
  }
  std::vector<std::unique_ptr<Param>> params;
};

// `states` is the number of state arrays per parameter.
template <class O, int states>
void optimizer_step(benchmark::State& state) {
  ManyParams link;
  O optimizer;
  optimizer.setup(link);
  optimizer.update();  // creates the states
  for (auto _ : state) optimizer.update();
  state.SetBytesProcessed(state.iterations() * kTensors * kElements *
                          (3 + 2 * states) * 4);
}

void as_measured(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Unit(benchmark::kMillisecond);
}

// Copies as many bytes as SGD reads and writes.
void copy_of_memory(benchmark::State& state) {
  const int64_t elements = kTensors * kElements / 2 * 3 / 16 * 16;
  const Array from = array::full({elements}, 0.5f);
  const Array to = array::full({elements}, 0.25f);
  for (auto _ : state) {
    benchmarks::copy_memory(to.raw_data(), from.raw_data(), from.nbytes());
  }
  state.SetBytesProcessed(state.iterations() * 2 * from.nbytes());
}
BENCHMARK(copy_of_memory)->Apply(as_measured);

using namespace optimizers;
BENCHMARK(optimizer_step<SGD, 0>)->Apply(as_measured);
BENCHMARK(optimizer_step<MomentumSGD, 1>)->Apply(as_measured);
BENCHMARK(optimizer_step<CorrectedMomentumSGD, 1>)->Apply(as_measured);
BENCHMARK(optimizer_step<NesterovAG, 1>)->Apply(as_measured);
BENCHMARK(optimizer_step<AdaGrad, 1>)->Apply(as_measured);
BENCHMARK(optimizer_step<RMSprop, 1>)->Apply(as_measured);
BENCHMARK(optimizer_step<AdaDelta, 2>)->Apply(as_measured);
BENCHMARK(optimizer_step<Adam, 2>)->Apply(as_measured);
BENCHMARK(optimizer_step<MSVAG, 2>)->Apply(as_measured);
BENCHMARK(optimizer_step<RMSpropGraves, 3>)->Apply(as_measured);
BENCHMARK(optimizer_step<SMORMS3, 3>)->Apply(as_measured);

}  // namespace
}  // namespace catena
