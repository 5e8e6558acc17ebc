// Training of word vectors on synthetic text.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "catena/array/random.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/loss/negative_sampling.h"
#include "catena/optimizers/adam.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

namespace L = links;

constexpr int64_t kWords = 10000;

Variable words(int64_t count) {
  return as_variable(
      array::random::randint(0, kWords, {count}).astype(Dtype::kInt32));
}

// Skip-gram with negative sampling (Mikolov et al., 2013): each word predicts
// the words around it.
class SkipGram : public Chain<SkipGram> {
 public:
  SkipGram(int64_t units, const std::vector<int64_t>& counts)
      : embed(this, "embed", kWords, units),
        loss(this, "loss", units, counts, 5) {}
  Variable forward(const Variable& context, const Variable& center) {
    return loss(embed(context), center);
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::NegativeSampling> loss;
};

// A batch of 1,000 words, each with the 10 words in the window of 5 around it.
void word2vec_train(benchmark::State& state) {
  constexpr int64_t kPairs = 1000 * 10;
  array::random::seed(0);
  SkipGram model(100, std::vector<int64_t>(kWords, 1));
  const PeakMemory memory;
  const Variable context = words(kPairs);
  const Variable center = words(kPairs);
  optimizers::Adam optimizer;
  optimizer.setup(model);
  for (auto _ : state) {
    optimizer.update([&] { return model.forward(context, center); });
  }
  state.counters["pairs"] =
      benchmark::Counter(kPairs, benchmark::Counter::kIsIterationInvariantRate);
  memory.report(state);
}
BENCHMARK(word2vec_train)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena
