// Training steps of a language model on synthetic words: two LSTM layers of 650
// units with dropout, 35 steps of 20 sequences, 10,000 words, SGD with gradient
// clipping. Once step by step with stateful links (truncated backpropagation
// through time), once with whole sequences.

#include <benchmark/benchmark.h>

#include "catena/array/random.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

namespace F = functions;
namespace L = links;

constexpr int64_t kSteps = 35;
constexpr int64_t kBatch = 20;
constexpr int64_t kUnits = 650;
constexpr int64_t kWords = 10000;

class StepByStep : public Chain<StepByStep> {
 public:
  StepByStep()
      : embed(this, "embed", kWords, kUnits),
        l1(this, "l1", kUnits, kUnits),
        l2(this, "l2", kUnits, kUnits),
        l3(this, "l3", kUnits, kWords) {}

  // x and t are (kSteps, kBatch).
  Variable loss(const Array& x, const Array& t) {
    Variable loss;
    for (int64_t step = 0; step < kSteps; ++step) {
      const Variable h0 = embed(as_variable(x[step]));
      const Variable h1 = l1(F::dropout(h0));
      const Variable h2 = l2(F::dropout(h1));
      const Variable one =
          F::softmax_cross_entropy(l3(F::dropout(h2)), t[step]);
      loss = loss.defined() ? loss + one : one;
    }
    return loss;
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::LSTM> l1, l2;
  Child<L::Linear> l3;
};

class WholeSequences : public Chain<WholeSequences> {
 public:
  WholeSequences()
      : embed(this, "embed", kWords, kUnits),
        lstm(this, "lstm", 2, kUnits, kUnits, 0.5),
        l3(this, "l3", kUnits, kWords) {}

  // x and t are (kBatch, kSteps).
  Variable loss(const Array& x, const Array& t) {
    const Variable words =
        F::dropout(F::reshape(embed(as_variable(x)), {-1, kUnits}));
    const Variables xs = F::split_axis(words, kBatch, 0);
    const auto result = lstm(hx_, cx_, xs);
    // The next call continues from this state, without its graph.
    hx_ = as_variable(result.hy.data());
    cx_ = as_variable(result.cy.data());
    const Variable h = F::concat(result.ys, {.axis = 0});
    return F::softmax_cross_entropy(l3(F::dropout(h)), t.reshape({-1})) *
           kSteps;
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::NStepLSTM> lstm;
  Child<L::Linear> l3;
  Variable hx_, cx_;
};

template <class Model>
void train(benchmark::State& state, const Shape& shape) {
  array::random::seed(0);
  Model model;
  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::GradientClipping(5));
  const auto words = [&] {
    return array::random::randint(0, kWords, shape).astype(Dtype::kInt32);
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
      benchmark::Counter(static_cast<double>(kSteps * kBatch),
                         benchmark::Counter::kIsIterationInvariantRate);
  memory.report(state);
}

void lstm_ptb_train(benchmark::State& state) {
  train<StepByStep>(state, {kSteps, kBatch});
}
BENCHMARK(lstm_ptb_train)->UseRealTime()->Unit(benchmark::kMillisecond);

void nstep_lstm_train(benchmark::State& state) {
  train<WholeSequences>(state, {kBatch, kSteps});
}
BENCHMARK(nstep_lstm_train)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
