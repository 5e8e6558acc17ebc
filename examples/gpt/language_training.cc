#include "catena/examples/gpt/language_training.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "catena/catena.h"
#include "catena/examples/support/resume.h"
#include "catena/training/communicators/communicators.h"

namespace catena::examples {
namespace {

namespace F = functions;
namespace extensions = training::extensions;
using namespace training::communicators;

// What a single process, or the first one, tells.
void extend_with_reports(training::Trainer& trainer,
                         const LanguageTrainingOptions& options) {
  const training::AnyTrigger interval(options.interval, "iteration");
  trainer.extend(extensions::observe_lr(), {.trigger = interval});
  trainer.extend(extensions::LogReport({.trigger = interval}));
  trainer.extend(
      extensions::PrintReport({"iteration", "main/loss", "validation/main/loss",
                               "lr", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(extensions::TextSamples(options.write_text),
                 {.trigger = interval});
  trainer.extend(extensions::HtmlReport());
}

}  // namespace

std::string read_training_text(const std::string& path) {
  if (path.empty()) return datasets::get_shakespeare_text();
  std::ifstream file(path, std::ios::binary);
  if (!file) raise<IoError>("--text: cannot read ", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void train_language_model(links::LanguageModel& model, const Array& ids,
                          const LanguageTrainingOptions& options) {
  const training::AnyTrigger interval(options.interval, "iteration");
  const int64_t length = options.length;
  Communicator* const communicator = options.communicator;

  // 1. All windows of the first nine tenths, and windows side by side of the
  // rest.
  const int64_t split = ids.size() - ids.size() / 10;
  const datasets::TokenDataset train(ids[{Slice(0, split)}], length);
  const datasets::TokenDataset valid(ids[{Slice(split, ids.size())}], length,
                                     {.stride = length});
  if (valid.size() == 0) {
    raise<ValueError>("--text: expected more than ", 10 * length,
                      " tokens, ten times as many as the model learns at a "
                      "time, got ",
                      ids.size());
  }

  // 2. The loss, without all scores in memory.
  const LossFunction loss = [&model](const LossInputs& batch) {
    const Variable y = F::linear_cross_entropy(model.features(batch[0]),
                                               model.output_weight(), batch[1]);
    report({{"loss", y}}, &model);
    return y;
  };

  // 3. Biases and factors do not decay.
  optimizers::AdamW optimizer(
      {.lr = options.lr, .beta2 = 0.99, .weight_decay = 0.1});
  if (communicator != nullptr) {
    create_multi_node_optimizer(optimizer, *communicator);
  }
  optimizer.setup(model);
  for (const auto& [name, parameter] : model.namedparams()) {
    if (parameter.ndim() < 2) {
      update_rule_of(parameter).set_hyperparameter("weight_decay", 0);
    }
  }
  optimizer.add_hook(optimizers::GradientClipping(1.0));

  if (options.autocast.dtype() == Dtype::kFloat16) {
    optimizer.loss_scaling();  // small gradients would vanish
  }

  // 4. The training loop. Of several processes, all train and evaluate with
  // their parts and save; the first one reports.
  iterators::SerialIterator train_iter(train, options.batch_size);
  std::optional<MultiNodeIterator> part_iter;
  if (communicator != nullptr) part_iter.emplace(train_iter, *communicator);
  iterators::SerialIterator valid_iter(
      communicator == nullptr ? dataset::Dataset(valid)
                              : scatter_dataset(valid, *communicator),
      std::max<int64_t>(1, 4096 / length), {.repeat = false, .shuffle = false});
  const Device device = model.output_weight().device();
  training::StandardUpdater updater(
      part_iter ? static_cast<dataset::Iterator&>(*part_iter) : train_iter,
      optimizer,
      {.device = device, .loss_func = loss, .autocast = options.autocast});
  training::Trainer trainer(updater, {options.iterations, "iteration"},
                            {.out = options.out});
  trainer.extend(
      extensions::CosineShift(
          "lr", options.iterations,
          {.target = options.lr / 10, .warmup_iter = options.iterations / 20}),
      {.trigger = {1, "iteration"}});
  extensions::Evaluator evaluator(valid_iter, model,
                                  {.device = device, .eval_func = loss});
  if (communicator == nullptr) {
    trainer.extend(std::move(evaluator), {.trigger = interval});
    extend_with_reports(trainer, options);
    trainer.extend(extensions::snapshot({.n_retains = 2}),
                   {.trigger = interval});
    trainer.extend(extensions::StopOnInterrupt());
    resume(trainer, options.resume);
    trainer.run();
    return;
  }
  trainer.extend(
      create_multi_node_evaluator(std::move(evaluator), *communicator),
      {.trigger = interval});
  trainer.extend(ObservationAggregator(*communicator));
  MultiNodeCheckpointer& checkpointer = trainer.extend(
      MultiNodeCheckpointer(*communicator), {.trigger = interval});
  if (communicator->rank() == 0) extend_with_reports(trainer, options);
  if (!options.resume.empty()) checkpointer.maybe_load(trainer);
  trainer.run();
}

}  // namespace catena::examples
