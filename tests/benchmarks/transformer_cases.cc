// Attention, and the training of GPTs.

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/model/gpt2.h"
#include "catena/optimizers/adamw.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/loss_function.h"
#include "catena/tests/benchmarks/cases.h"
#include "catena/training/captured_steps.h"

namespace catena::benchmarks {
namespace {

namespace F = functions;
namespace L = links;

// Twelve heads of 64, causal. The flops are those of the products of all
// scores that are seen: two forward, five backward.
Work attention(const CaseOptions& options, int64_t batch, int64_t length,
               bool both_ways) {
  const int64_t heads = options.small ? 2 : 12;
  const int64_t size = options.small ? 8 : 64;
  if (options.small) length = 10;
  std::vector<Variable> in;
  for (int i = 0; i < 3; ++i) {
    in.emplace_back(uniform({batch, heads, length, size}, options.dtype));
  }
  const Array gy = uniform({batch, heads, length, size}, options.dtype);
  const auto step = [in, gy, both_ways] {
    if (!both_ways) {
      const auto scope = no_backprop_mode();
      F::attention(in[0], in[1], in[2], {.causal = true});
      return;
    }
    const Variable y = F::attention(in[0], in[1], in[2], {.causal = true});
    y.set_grad(gy);
    y.backward();
    for (const Variable& x : in) x.cleargrad();
  };
  const double scores = static_cast<double>(batch * heads) *
                        static_cast<double>(length * (length + 1)) / 2;
  return {step, scores * 2 * static_cast<double>(size) * (both_ways ? 7 : 2),
          "FLOP"};
}

Work attention_forward(const CaseOptions& options) {
  return attention(options, batch_of_case(options, 1, 16, 1), 2048, false);
}
Work attention_both_ways(const CaseOptions& options) {
  return attention(options, batch_of_case(options, 1, 16, 1), 2048, true);
}
Work attention_of_16384(const CaseOptions& options) {
  return attention(options, 1, 16384, true);
}

struct TextSizes {
  int64_t batch;
  int64_t length;
};

// Steps of AdamW with gradient clipping on texts that take turns.
Work train_gpt(const L::Gpt2Options& sizes, const TextSizes& text,
               const CaseOptions& options) {
  struct State {
    L::Gpt2 model;
    Array ids;
    int64_t next = 0;
    optimizers::AdamW optimizer{
        {.lr = 1e-4, .beta2 = 0.99, .weight_decay = 0.1}};
    std::function<void(const LossInputs&)> update = nullptr;

    LossInputs batch() {
      const Array part = ids[next];
      next = (next + 1) % ids.shape()[0];
      const int64_t length = part.shape()[1] - 1;
      return std::vector<Variable>{
          as_variable(part[{Slice(), Slice(0, length)}].contiguous()),
          as_variable(part[{Slice(), Slice(1, length + 1)}].contiguous())};
    }
  };
  const auto state = std::make_shared<State>(
      State{L::Gpt2(sizes),
            integers(sizes.vocabulary, {10, text.batch, text.length + 1})});
  state->optimizer.setup(state->model);
  state->optimizer.use_fp32_update();
  state->optimizer.add_hook(optimizers::GradientClipping(1));
  const int64_t words = text.batch * text.length;
  const LossFunction loss = [&model = state->model,
                             words](const LossInputs& batch) {
    const Variable scores = model(batch[0]);
    return F::softmax_cross_entropy(
        F::reshape(scores, {words, scores.shape()[2]}),
        F::reshape(batch[1], {words}));
  };
  if (options.captured) {
    const auto steps =
        std::make_shared<training::CapturedSteps>(state->optimizer, loss);
    state->update = [steps](const LossInputs& batch) { steps->update(batch); };
  } else {
    state->update = [&optimizer = state->optimizer,
                     loss](const LossInputs& batch) {
      optimizer.update(loss, batch);
    };
  }
  return {[state] { state->update(state->batch()); },
          static_cast<double>(words), "words"};
}

constexpr L::Gpt2Options kSmall = {.vocabulary = 20,
                                   .context = 6,
                                   .units = 8,
                                   .heads = 2,
                                   .layers = 2,
                                   .dropout = 0};

// nanoGPT's settings for characters: of a CPU, and of a GPU.
Work gpt_char_train(const CaseOptions& options) {
  if (options.small) return train_gpt(kSmall, {2, 6}, options);
  const bool is_large = size_of_case(options, 0, 1, 0) == 1;
  const int64_t batch = batch_of_case(options, 2, 64, 12);
  return is_large ? train_gpt({.vocabulary = 65,
                               .context = 256,
                               .units = 384,
                               .heads = 6,
                               .layers = 6,
                               .dropout = 0.2},
                              {batch, 256}, options)
                  : train_gpt({.vocabulary = 65,
                               .context = 64,
                               .units = 128,
                               .heads = 4,
                               .layers = 4,
                               .dropout = 0},
                              {batch, 64}, options);
}

// GPT-2 with 124 million parameters.
Work gpt2_train(const CaseOptions& options) {
  if (options.small) return train_gpt(kSmall, {2, 6}, options);
  return train_gpt(
      {.dropout = 0},
      {batch_of_case(options, 2, 16, 4), size_of_case(options, 6, 1024, 64)},
      options);
}

}  // namespace

std::vector<Case> transformer_cases() {
  constexpr auto kTraining = Case::Capture::kTraining;
  constexpr auto kAsItIs = Case::Capture::kAsItIs;
  return {
      {.name = "attention", .prepare = attention_forward, .capture = kAsItIs},
      {.name = "attention_both_ways",
       .prepare = attention_both_ways,
       .capture = kAsItIs},
      {.name = "attention_of_16384",
       .prepare = attention_of_16384,
       .capture = kAsItIs},
      {.name = "gpt_char_train",
       .prepare = gpt_char_train,
       .capture = kTraining},
      {.name = "gpt2_train", .prepare = gpt2_train, .capture = kTraining},
  };
}

}  // namespace catena::benchmarks
