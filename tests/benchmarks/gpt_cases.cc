#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/loss/linear_cross_entropy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/lora.h"
#include "catena/links/model/gpt2.h"
#include "catena/optimizers/adamw.h"
#include "catena/optimizers/hooks.h"
#include "catena/tests/benchmarks/cases.h"
#include "catena/tests/benchmarks/updates.h"

namespace catena::benchmarks {
namespace {

namespace F = functions;
namespace L = links;

struct TrainingSizes {
  L::Gpt2Options model;
  int64_t batch;
  int64_t length;
};

// Steps of AdamW, with gradients whose norm is at most 1, on random tokens.
Work train_gpt(const TrainingSizes& sizes, const CaseOptions& options) {
  struct State {
    L::Gpt2 model;
    optimizers::AdamW optimizer{{.lr = 1e-4, .weight_decay = 0.1}};
    std::vector<LossInputs> batches;
    size_t next = 0;
    Update update = nullptr;
    explicit State(const TrainingSizes& sizes) : model(sizes.model) {
      const auto tokens = [&] {
        return as_variable(
            integers(sizes.model.vocabulary, {sizes.batch, sizes.length}));
      };
      for (int i = 0; i < 10; ++i) {
        batches.emplace_back(std::vector<Variable>{tokens(), tokens()});
      }
    }
  };
  const auto state = std::make_shared<State>(sizes);
  state->optimizer.setup(state->model);
  state->optimizer.use_fp32_update();
  state->optimizer.add_hook(optimizers::GradientClipping(1));
  state->update = update_with(
      state->optimizer,
      [&model = state->model](const LossInputs& batch) {
        const Variable scores = model(batch[0]);
        return F::softmax_cross_entropy(
            F::reshape(scores, {-1, scores.shape()[2]}),
            F::reshape(batch[1], {-1}));
      },
      options);
  return {[state] {
            state->update(state->batches[state->next]);
            state->next = (state->next + 1) % state->batches.size();
          },
          static_cast<double>(sizes.batch * sizes.length), "tokens"};
}

L::Gpt2Options small_model() {
  return {.vocabulary = 20,
          .context = 8,
          .units = 8,
          .heads = 2,
          .layers = 2,
          .dropout = 0};
}

// nanoGPT's setting for Shakespeare on a CPU, and for GPUs.
Work gpt_char_train(const CaseOptions& options) {
  TrainingSizes sizes{small_model(), 2, 8};
  if (!options.small) {
    const bool on_cpu = current_device().is_native();
    sizes.model = {.vocabulary = 65,
                   .context = on_cpu ? 64 : 256,
                   .units = on_cpu ? 128 : 384,
                   .heads = on_cpu ? 4 : 6,
                   .layers = on_cpu ? 4 : 6,
                   .dropout = 0};
    sizes.length = sizes.model.context;
  }
  sizes.batch = batch_of_case(options, 2, 64, 12);
  return train_gpt(sizes, options);
}

// The smallest GPT-2, with 124 million parameters.
Work gpt2_train(const CaseOptions& options) {
  TrainingSizes sizes{small_model(), 2, 8};
  if (!options.small) sizes.model = {.dropout = 0};
  sizes.length = size_of_case(options, 8, 1024, 64);
  sizes.batch = batch_of_case(options, 2, 16, 4);
  return train_gpt(sizes, options);
}

// The same with updates of rank 8 beside weights that are frozen, and the loss
// by parts.
Work gpt2_lora_train(const CaseOptions& options) {
  struct State {
    L::Gpt2 model;
    optimizers::AdamW optimizer{{.lr = 1e-4, .weight_decay = 0.1}};
    LossInputs batch;
    Update update = nullptr;
    explicit State(const L::Gpt2Options& sizes) : model(sizes) {}
  };
  const L::Gpt2Options sizes =
      options.small ? small_model() : L::Gpt2Options{.dropout = 0};
  const int64_t length = size_of_case(options, 8, 1024, 64);
  const int64_t batch = batch_of_case(options, 2, 16, 4);
  const auto state = std::make_shared<State>(sizes);
  L::add_lora(state->model, {.rank = 8});
  state->optimizer.setup(state->model);
  state->optimizer.use_fp32_update();
  state->optimizer.add_hook(optimizers::GradientClipping(1));
  for (int i = 0; i < 2; ++i) {
    state->batch.add(as_variable(integers(sizes.vocabulary, {batch, length})));
  }
  state->update = update_with(
      state->optimizer,
      [&model = state->model](const LossInputs& inputs) {
        return F::linear_cross_entropy(model.features(inputs[0]),
                                       model.output_weight(), inputs[1]);
      },
      options);
  return {[state] { state->update(state->batch); },
          static_cast<double>(batch * length), "tokens"};
}

// One text, token by token, whose keys and values are cached: after each 64
// tokens it goes back to the first 64.
Work gpt2_generate(const CaseOptions& options) {
  struct State {
    L::Gpt2 model;
    std::vector<F::KeyValueCache> caches;
    Array next;
    int64_t begin;
    explicit State(const L::Gpt2Options& model_options)
        : model(model_options),
          caches(model.make_caches()),
          begin(model_options.context < 64 ? 2 : 64) {}
    void write() {
      const auto test = using_config(&Config::train, false);
      const auto scope = no_backprop_mode();
      if (caches[0].length() == 2 * begin) {
        for (F::KeyValueCache& cache : caches) cache.cut(begin);
      }
      const Array scores = model(as_variable(next), caches).data()[{0, -1}];
      next = array::argmax(scores).reshape(1, 1);
    }
  };
  const auto state = std::make_shared<State>(
      options.small ? small_model() : L::Gpt2Options{.dropout = 0});
  state->next = integers(state->model.options().vocabulary, {1, state->begin});
  return {[state] { state->write(); }, 1, "tokens"};
}

// Causal, twelve heads of 64. Flops are those of products of all scores that
// are seen: 4 d forward and 10 d backward.
Work attend(const CaseOptions& options, int64_t length, bool both_ways) {
  const int64_t heads = options.small ? 2 : 12;
  const int64_t size = options.small ? 8 : 64;
  const int64_t batch = batch_of_case(options, 1, length <= 2048 ? 8 : 1, 1);
  if (options.small) length = 10;
  const Shape shape = {batch, heads, length, size};
  struct Inputs {
    Variable q, k, v;
    Array gy;
  };
  const auto variable = [&] { return Variable(uniform(shape, options.dtype)); };
  const auto inputs = std::make_shared<Inputs>(Inputs{
      variable(), variable(), variable(), uniform(shape, options.dtype)});
  const auto attention = [inputs] {
    return F::attention(inputs->q, inputs->k, inputs->v, {.causal = true});
  };
  const double scores = static_cast<double>(batch * heads) *
                        static_cast<double>(length * (length + 1) / 2);
  const double flops =
      scores * static_cast<double>((both_ways ? 14 : 4) * size);
  if (!both_ways) {
    return {[attention] {
              const auto scope = no_backprop_mode();
              static_cast<void>(attention());
            },
            flops, "FLOP"};
  }
  return {[attention, inputs] {
            const Variable y = attention();
            y.set_grad(inputs->gy);
            y.backward();
            for (const Variable& x : {inputs->q, inputs->k, inputs->v}) {
              x.cleargrad();
            }
          },
          flops, "FLOP"};
}

}  // namespace

std::vector<Case> gpt_cases() {
  constexpr auto kTraining = Case::Capture::kTraining;
  const auto attention = [](int64_t length, bool both_ways) {
    return [=](const CaseOptions& options) {
      return attend(options, length, both_ways);
    };
  };
  return {
      {.name = "attention", .prepare = attention(2048, false)},
      {.name = "attention_both_ways", .prepare = attention(2048, true)},
      {.name = "attention_16384_both_ways", .prepare = attention(16384, true)},
      {.name = "gpt_char_train",
       .prepare = gpt_char_train,
       .capture = kTraining},
      {.name = "gpt2_train", .prepare = gpt2_train, .capture = kTraining},
      {.name = "gpt2_lora_train",
       .prepare = gpt2_lora_train,
       .capture = kTraining},
      {.name = "gpt2_generate", .prepare = gpt2_generate},
  };
}

}  // namespace catena::benchmarks
