// Training steps of a language model on synthetic words: two LSTM layers of 650
// units with dropout, 35 steps of 20 sequences, 10,000 words, SGD with gradient
// clipping. Once step by step with stateful links (truncated backpropagation
// through time), once with whole sequences.

#include <benchmark/benchmark.h>

#include "catena/array/random.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/benchmarks/networks.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

using namespace benchmarks;

constexpr LanguageModelSizes kSizes;

template <class Model>
void train(benchmark::State& state) {
  array::random::seed(0);
  Model model(kSizes);
  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::GradientClipping(5));
  const auto words = [&] {
    return array::random::randint(0, kSizes.words, Model::shape(kSizes))
        .astype(Dtype::kInt32);
  };
  const Array x = words();
  const Array t = words();
  const PeakMemory memory;
  for (auto _ : state) {
    const Variable loss = model.loss(x, t);
    model.cleargrads();
    loss.backward();
    loss.unchain_backward();
    optimizer.update();
  }
  state.counters["words"] =
      benchmark::Counter(static_cast<double>(kSizes.steps * kSizes.batch),
                         benchmark::Counter::kIsIterationInvariantRate);
  memory.report(state);
}

void lstm_ptb_train(benchmark::State& state) { train<StepByStep>(state); }
BENCHMARK(lstm_ptb_train)->UseRealTime()->Unit(benchmark::kMillisecond);

void nstep_lstm_train(benchmark::State& state) { train<WholeSequences>(state); }
BENCHMARK(nstep_lstm_train)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
