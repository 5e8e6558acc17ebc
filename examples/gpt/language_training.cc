#include "catena/examples/gpt/language_training.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/autocast_flag.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;

ABSL_FLAG(std::string, text, "", "a text file, instead of Shakespeare's plays");
ABSL_FLAG(catena::examples::AtLeast<1>, batchsize, {4}, "texts in a minibatch");
ABSL_FLAG(catena::examples::AtLeast<1>, length, {64},
          "tokens of a text in a minibatch");
ABSL_FLAG(double, lr, 5e-4,
          "largest learning rate, after a twentieth of the steps; it ends at a "
          "tenth");
ABSL_FLAG(catena::examples::AtLeast<1>, iteration, {500}, "steps");
ABSL_FLAG(catena::examples::AtLeast<1>, interval, {100},
          "steps between evaluations, texts and snapshots");
ABSL_FLAG(catena::examples::AutocastFlag, autocast, {},
          "computes products in bfloat16 or float16; off: in float32");
ABSL_FLAG(std::string, start, "ROMEO:\n", "what the texts begin with");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");

namespace catena::examples {
namespace {

namespace F = functions;
namespace extensions = training::extensions;

// (N,), on the CPU.
Array encoded(const datasets::Tokenizer& tokenizer, const std::string& text) {
  return array::array(tokenizer.encode(text, {.add_special_tokens = false}),
                      std::nullopt, native_device());
}

}  // namespace

std::string read_training_text() {
  const std::string path = GetFlag(FLAGS_text);
  if (path.empty()) return datasets::get_shakespeare_text();
  std::ifstream file(path, std::ios::binary);
  if (!file) raise<IoError>("--text: cannot read ", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string model_folder() {
  const std::string folder = GetFlag(FLAGS_out) + "/model";
  std::filesystem::create_directories(folder);
  return folder;
}

void train_language_model(links::LanguageModel& model,
                          const datasets::Tokenizer& tokenizer,
                          const std::string& text) {
  const int64_t length = GetFlag(FLAGS_length);
  const int64_t iterations = GetFlag(FLAGS_iteration);
  const training::AnyTrigger interval(GetFlag(FLAGS_interval).value,
                                      "iteration");
  // 1. All windows of the first nine tenths, and windows side by side of the
  // rest.
  const Array ids = encoded(tokenizer, text);
  const int64_t split = ids.size() - ids.size() / 10;
  const datasets::TokenDataset train(ids[{Slice(0, split)}], length);
  const datasets::TokenDataset valid(ids[{Slice(split, ids.size())}], length,
                                     {.stride = length});
  if (valid.size() == 0) {
    raise<ValueError>("--text: expected more than ", 10 * length,
                      " tokens, ten times --length, got ", ids.size());
  }
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator valid_iter(valid, 16,
                                       {.repeat = false, .shuffle = false});

  // 2. The loss, without all scores in memory.
  const LossFunction loss = [&model](const LossInputs& batch) {
    const Variable y = F::linear_cross_entropy(model.features(batch[0]),
                                               model.output_weight(), batch[1]);
    report({{"loss", y}}, &model);
    return y;
  };

  // 3. Biases and factors do not decay.
  optimizers::AdamW optimizer(
      {.lr = GetFlag(FLAGS_lr), .beta2 = 0.99, .weight_decay = 0.1});
  optimizer.setup(model);
  for (const auto& [name, parameter] : model.namedparams()) {
    if (parameter.ndim() < 2) {
      update_rule_of(parameter).set_hyperparameter("weight_decay", 0);
    }
  }
  optimizer.add_hook(optimizers::GradientClipping(1.0));

  // 4. The training loop. Small gradients would vanish in float16.
  const AutocastDtype autocast = GetFlag(FLAGS_autocast).dtype;
  if (autocast.dtype() == Dtype::kFloat16) optimizer.loss_scaling();
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.loss_func = loss, .autocast = autocast});
  training::Trainer trainer(updater, {iterations, "iteration"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::CosineShift("lr", iterations,
                                         {.target = GetFlag(FLAGS_lr) / 10,
                                          .warmup_iter = iterations / 20}),
                 {.trigger = {1, "iteration"}});
  trainer.extend(extensions::Evaluator(valid_iter, model, {.eval_func = loss}),
                 {.trigger = interval});
  trainer.extend(extensions::observe_lr(), {.trigger = interval});
  trainer.extend(extensions::LogReport({.trigger = interval}));
  trainer.extend(
      extensions::PrintReport({"iteration", "main/loss", "validation/main/loss",
                               "lr", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  const std::string start = GetFlag(FLAGS_start);
  trainer.extend(extensions::TextSamples([&] {
                   return start +
                          links::generate_text(model, tokenizer, start,
                                               {.generate = {.max_tokens = 100,
                                                             .temperature = 0.8,
                                                             .seed = 0}});
                 }),
                 {.trigger = interval});
  trainer.extend(extensions::HtmlReport());
  trainer.extend(extensions::snapshot({.n_retains = 2}), {.trigger = interval});
  trainer.extend(extensions::StopOnInterrupt());
  resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
}

}  // namespace catena::examples
