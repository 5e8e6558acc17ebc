#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/random/sampling.h"
#include "catena/array/take.h"
#include "catena/autograd/config.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/n_step_gru.h"
#include "catena/links/connection/n_step_rnn.h"
#include "catena/links/loss/negative_sampling.h"
#include "catena/links/model/gpt2.h"
#include "catena/links/model/language_model.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/benchmarks/cases.h"
#include "catena/tests/benchmarks/networks.h"
#include "catena/training/captured_steps.h"

namespace catena::benchmarks {
namespace {

// --- Images ---

// Random examples and labels; minibatches of them take turns.
class Pool {
 public:
  // `shape` is that of a minibatch.
  Pool(int64_t batches, Shape shape, int64_t classes,
       const CaseOptions& options)
      : batch_(shape[0]), count_(batches * shape[0]) {
    shape[0] = count_;
    x_ = examples(shape, options);
    t_ = integers(classes, {count_});
  }

  int64_t batch() const { return batch_; }
  LossInputs next() {
    const Slice part(begin_, begin_ + batch_);
    begin_ = (begin_ + batch_) % count_;
    return std::vector<Variable>{as_variable(x_[{part}]),
                                 as_variable(t_[{part}])};
  }

 private:
  int64_t batch_, count_;
  int64_t begin_ = 0;
  Array x_, t_;
};

// Takes a step of the optimizer on a minibatch, as the options say.
using Update = std::function<void(const LossInputs& batch)>;

Update update_with(Optimizer& optimizer, LossFunction loss,
                   const CaseOptions& options) {
  if (options.captured) {
    const auto steps =
        std::make_shared<training::CapturedSteps>(optimizer, std::move(loss));
    return [steps](const LossInputs& batch) { steps->update(batch); };
  }
  return [&optimizer, loss = std::move(loss)](const LossInputs& batch) {
    optimizer.update(loss, batch);
  };
}

template <class Model>
Work train(Model model, std::unique_ptr<Optimizer> optimizer, Pool pool,
           double amount, std::string_view unit, const CaseOptions& options) {
  struct State {
    Model model;
    std::unique_ptr<Optimizer> optimizer;
    Pool pool;
    Update update = nullptr;
  };
  const auto state = std::make_shared<State>(
      State{std::move(model), std::move(optimizer), std::move(pool)});
  if (options.channels_last) state->model.to_channels_last();
  state->optimizer->setup(state->model);
  state->optimizer->use_fp32_update();
  state->update = update_with(
      *state->optimizer,
      [&model = state->model](const LossInputs& batch) {
        return F::softmax_cross_entropy(model.forward(batch[0]), batch[1]);
      },
      options);
  return {[state] { state->update(state->pool.next()); }, amount, unit};
}

template <class Model>
Work train_images(Model model, std::unique_ptr<Optimizer> optimizer, Pool pool,
                  const CaseOptions& options) {
  const auto images = static_cast<double>(pool.batch());
  return train(std::move(model), std::move(optimizer), std::move(pool), images,
               "images", options);
}

std::unique_ptr<Optimizer> momentum() {
  return std::make_unique<optimizers::MomentumSGD>(
      optimizers::MomentumSGDOptions{.lr = 1e-4});
}

std::unique_ptr<Optimizer> sgd() {
  return std::make_unique<optimizers::SGD>(optimizers::SGDOptions{.lr = 1e-4});
}

Pool digits(const CaseOptions& options, int64_t batch) {
  return {options.small ? 2 : 100, {batch, 784}, 10, options};
}

Work mlp_train(const CaseOptions& options) {
  return train_images(
      Mlp(options.small ? 16 : 1000, 10), std::make_unique<optimizers::Adam>(),
      digits(options, batch_of_case(options, 4, 1024, 100)), options);
}

Work small_mlp_train(const CaseOptions& options) {
  return train_images(Mlp(options.small ? 16 : 100, 10), sgd(),
                      digits(options, batch_of_case(options, 4, 100, 100)),
                      options);
}

// One image: how long the host takes for a step.
Work mlp_step(const CaseOptions& options) {
  return train_images(Mlp(options.small ? 16 : 100, 10), momentum(),
                      digits(options, 1), options);
}

Work lenet_train(const CaseOptions& options) {
  const int64_t batch = batch_of_case(options, 2, 256, 64);
  return train_images(
      LeNet(), momentum(),
      Pool(options.small ? 2 : 100, {batch, 1, 28, 28}, 10, options), options);
}

Work vgg_train(const CaseOptions& options) {
  const int64_t batch = batch_of_case(options, 2, 128, 32);
  return train_images(
      Vgg(10, options.small ? 4 : 64), momentum(),
      Pool(options.small ? 2 : 10, {batch, 3, 32, 32}, 10, options), options);
}

Shape resnet_shape(const CaseOptions& options, int64_t batch) {
  const int64_t side = options.small ? 32 : 224;
  return {batch, 3, side, side};
}

Work resnet50_train(const CaseOptions& options) {
  const int64_t batch = batch_of_case(options, 2, 64, 4);
  return train_images(
      ResNet50(), momentum(),
      Pool(options.small ? 2 : 4, resnet_shape(options, batch), 1000, options),
      options);
}

Work infer(const CaseOptions& options, int64_t batch) {
  const auto model = std::make_shared<ResNet50>();
  if (options.channels_last) model->to_channels_last();
  const Variable x =
      as_variable(examples(resnet_shape(options, batch), options));
  return {[model, x, y = Variable()]() mutable {
            const auto test = using_config(&Config::train, false);
            const auto scope = no_backprop_mode();
            y = model->forward(x);
          },
          static_cast<double>(batch), "images"};
}

// On the CPU the model and its input are float32, whatever the plan computes
// in; on a GPU the plan computes in their dtype.
Work infer_by_plan(const CaseOptions& options, int64_t batch) {
  struct Inference {
    ResNet50 model;
    F::ExecutionPlan plan;
    explicit Inference(Dtype precision)
        : plan([this](const Variable& x) { return model.forward(x); },
               {.precision = precision}) {}
  };
  const bool on_cpu = current_device().is_native();
  const DefaultDtype of_model =
      on_cpu ? DefaultDtype(Dtype::kFloat32) : config().dtype;
  const auto dtype = using_config(&Config::dtype, of_model);
  const auto inference =
      std::make_shared<Inference>(on_cpu ? options.dtype : Dtype::kFloat32);
  const Variable x = as_variable(uniform(
      resnet_shape(options, batch), on_cpu ? Dtype::kFloat32 : options.dtype));
  return {[inference, x, of_model] {
            const auto dtype = using_config(&Config::dtype, of_model);
            const auto test = using_config(&Config::train, false);
            const auto scope = no_backprop_mode();
            static_cast<void>(inference->plan(x));
          },
          static_cast<double>(batch), "images"};
}

int64_t inference_batch(const CaseOptions& options) {
  return batch_of_case(options, 2, 64, 8);
}
Work resnet50_infer(const CaseOptions& options) {
  return infer(options, inference_batch(options));
}
Work resnet50_infer_plan(const CaseOptions& options) {
  return infer_by_plan(options, inference_batch(options));
}
Work resnet50_infer_one(const CaseOptions& options) {
  return infer(options, 1);
}
Work resnet50_infer_one_plan(const CaseOptions& options) {
  return infer_by_plan(options, 1);
}

// --- Words ---

// Steps of SGD with gradient clipping.
template <class Model>
Work train_language_model(const CaseOptions& options) {
  LanguageModelSizes sizes;
  if (options.small) sizes = {.steps = 3, .batch = 2, .units = 8, .words = 20};
  if (options.batch > 0) sizes.batch = options.batch;
  struct State {
    Model model;
    LossInputs batch;
    optimizers::SGD optimizer{{.lr = 0.1}};
    Update update = nullptr;
  };
  const auto words = [&] {
    return as_variable(integers(sizes.words, Model::shape(sizes)));
  };
  const auto state = std::make_shared<State>(
      State{Model(sizes), std::vector<Variable>{words(), words()}});
  state->optimizer.setup(state->model);
  state->optimizer.use_fp32_update();
  state->optimizer.add_hook(optimizers::GradientClipping(5));
  state->update = update_with(
      state->optimizer,
      [&model = state->model](const LossInputs& batch) {
        return model.loss(batch[0].data(), batch[1].data());
      },
      options);
  return {[state] { state->update(state->batch); },
          static_cast<double>(sizes.steps * sizes.batch), "words"};
}

// Skip-gram with negative sampling (Mikolov et al., 2013): each word of a text
// predicts those around it.
class SkipGram : public Chain<SkipGram> {
 public:
  SkipGram(int64_t units, const std::vector<int64_t>& counts)
      : embed(this, "embed", static_cast<int64_t>(counts.size()), units),
        loss(this, "loss", units, counts, 5) {}
  Variable forward(const Variable& context, const Variable& center) {
    return loss(embed(context), center);
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::NegativeSampling> loss;
};

// A text whose words are distributed by Zipf's law.
class Text {
 public:
  Text(int64_t words, int64_t length) : length_(length) {
    std::vector<double> weights;
    for (int64_t i = 0; i < words; ++i) {
      weights.push_back(1 / static_cast<double>(i + 10));
      counts_.push_back(static_cast<int64_t>(1e6 * weights.back()));
    }
    const array::random::WalkerAlias sampler(array::array(weights));
    text_ = sampler.sample({length});
    order_ =
        array::random::permutation(length - 2 * kWindow).astype(Dtype::kInt32) +
        kWindow;
    std::vector<int32_t> offsets;
    for (int32_t i = -kWindow; i <= kWindow; ++i) {
      if (i != 0) offsets.push_back(i);
    }
    offsets_ = array::array(offsets);
  }

  static constexpr int32_t kWindow = 5;
  const std::vector<int64_t>& counts() const { return counts_; }

  // The words around `batch` others, and for each of them the other one.
  LossInputs next(int64_t batch) {
    if (begin_ + batch > length_ - 2 * kWindow) begin_ = 0;
    const Array position = order_[{Slice(begin_, begin_ + batch)}];
    begin_ += batch;
    const Shape windows = {batch, 2 * kWindow};
    const Array around = position.reshape({batch, 1}) + offsets_;
    const Array center =
        array::take(text_, position).reshape({batch, 1}).broadcast_to(windows);
    return std::vector<Variable>{
        as_variable(array::take(text_, around).reshape({-1})),
        as_variable(center.reshape({-1}))};
  }

 private:
  int64_t length_;
  int64_t begin_ = 0;
  std::vector<int64_t> counts_;
  Array text_, order_, offsets_;
};

Work word2vec_train(const CaseOptions& options) {
  const int64_t batch = batch_of_case(options, 4, 1000, 1000);
  struct State {
    Text text;
    SkipGram model;
    optimizers::Adam optimizer;
    Update update = nullptr;
    explicit State(bool small)
        : text(small ? 20 : 10000, small ? 100 : 100000),
          model(small ? 8 : 100, text.counts()) {}
  };
  const auto state = std::make_shared<State>(options.small);
  state->optimizer.setup(state->model);
  state->update =
      update_with(state->optimizer, state->optimizer.loss_function(), options);
  return {[state, batch] { state->update(state->text.next(batch)); },
          static_cast<double>(batch * 2 * Text::kWindow), "pairs"};
}

Work transformer_train(const CaseOptions& options) {
  TransformerSizes sizes;
  if (options.small) {
    sizes = {.layers = 2, .batch = 2, .steps = 4, .units = 8, .heads = 2};
  }
  sizes.batch = batch_of_case(options, sizes.batch, sizes.batch, 4);
  const int64_t words = sizes.batch * sizes.steps;
  return train(
      Transformer(sizes), momentum(),
      Pool(options.small ? 2 : 10, {words, sizes.units}, sizes.units, options),
      static_cast<double>(words), "words", options);
}

// --- Texts ---

// GPT-2 with 124 million parameters writes a text, token by token. Each reads
// all weights but the embedding of positions.
Work gpt2_generate(const CaseOptions& options) {
  links::Gpt2Options sizes;
  if (options.small) {
    sizes = {
        .vocabulary = 11, .context = 16, .units = 8, .heads = 2, .layers = 2};
  }
  const auto dtype = using_config(&Config::dtype, DefaultDtype(options.dtype));
  const auto model = std::make_shared<links::Gpt2>(sizes);
  const int64_t tokens = options.small ? 3 : 32;
  const int64_t weights =
      model->count_params() - model->positions->W.data().size();
  const std::vector<int32_t> prompt(options.small ? 2 : 16, 1);
  return {[=] { links::generate(*model, prompt, {.max_tokens = tokens}); },
          static_cast<double>(weights * item_size(options.dtype) * tokens),
          "B"};
}

// --- Updates ---

// Tensors of parameters that have gradients.
class Tensors : public Link {
 public:
  Tensors(int64_t count, const Shape& shape) {
    for (int64_t i = 0; i < count; ++i) {
      params.push_back(std::make_unique<Param>(this, std::to_string(i),
                                               Initializer(0.5), shape));
      params.back()->set_grad(array::full_like(params.back()->data(), 0.01));
    }
  }
  std::vector<std::unique_ptr<Param>> params;
};

// 25 million parameters in 50 tensors. Gradient, parameter and two moments are
// read; the last three are written.
Work adam_step(const CaseOptions& options) {
  struct State {
    Tensors tensors;
    optimizers::Adam optimizer;
    explicit State(bool small)
        : tensors(small ? 2 : 50, small ? Shape{5, 10} : Shape{500, 1000}) {}
  };
  const auto state = std::make_shared<State>(options.small);
  state->optimizer.setup(state->tensors);
  const auto params = static_cast<double>(state->tensors.count_params());
  return {[state] { state->optimizer.update(); }, params * 7 * sizeof(float),
          "B"};
}

}  // namespace

std::vector<Case> network_cases() {
  constexpr auto kTraining = Case::Capture::kTraining;
  constexpr auto kAsItIs = Case::Capture::kAsItIs;
  return {
      {.name = "mlp_step", .prepare = mlp_step, .capture = kTraining},
      {.name = "mlp_train", .prepare = mlp_train, .capture = kTraining},
      {.name = "small_mlp_train",
       .prepare = small_mlp_train,
       .capture = kTraining},
      {.name = "lenet_train",
       .prepare = lenet_train,
       .convolves = true,
       .capture = kTraining},
      {.name = "vgg_train",
       .prepare = vgg_train,
       .convolves = true,
       .capture = kTraining},
      {.name = "resnet50_infer",
       .prepare = resnet50_infer,
       .prepare_plan = resnet50_infer_plan,
       .convolves = true,
       .capture = kAsItIs},
      {.name = "resnet50_infer_one",
       .prepare = resnet50_infer_one,
       .prepare_plan = resnet50_infer_one_plan,
       .convolves = true,
       .capture = kAsItIs},
      {.name = "resnet50_train",
       .prepare = resnet50_train,
       .convolves = true,
       .capture = kTraining},
      {.name = "lstm_train",
       .prepare = train_language_model<StepByStep>,
       .capture = kTraining},
      {.name = "nstep_lstm_train",
       .prepare = train_language_model<WholeSequences>,
       .stacks_layers = true,
       .capture = kTraining},
      {.name = "nstep_gru_train",
       .prepare = train_language_model<WholeSequencesOf<L::NStepGRU>>,
       .stacks_layers = true,
       .capture = kTraining},
      {.name = "nstep_rnn_train",
       .prepare = train_language_model<WholeSequencesOf<L::NStepRNNTanh>>,
       .stacks_layers = true,
       .capture = kTraining},
      {.name = "word2vec_train",
       .prepare = word2vec_train,
       .capture = kTraining,
       .only_float32 = true},
      {.name = "transformer_train",
       .prepare = transformer_train,
       .capture = kTraining},
      {.name = "gpt2_generate", .prepare = gpt2_generate},
      {.name = "adam_step",
       .prepare = adam_step,
       .capture = kAsItIs,
       .only_float32 = true},
  };
}

}  // namespace catena::benchmarks
