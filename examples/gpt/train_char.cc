// Trains a small GPT to write like Shakespeare, character by character.
//
//   Data:   the plays ship with catena: 1.1 million characters, of 65 kinds.
//           --text=FILE reads another text.
//   Run:    ./bazelw run //examples/gpt:train_char
//   Expect: a validation loss of 1.89 nats a character after 2,000 iterations,
//           which take one to two minutes. The folder result, or --out, has
//           the log, texts that the model wrote on the way, report.html with
//           both, snapshots and the model.
//   Resume: --resume=latest continues after the last snapshot.
//   16 bits: --autocast=bfloat16 computes products in bfloat16.

#include <fstream>
#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/characters.h"
#include "catena/examples/support/autocast_flag.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, text, "", "a text file, instead of the plays");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {12}, "texts in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, context, {64}, "characters that it sees");
ABSL_FLAG(examples::AtLeast<1>, layers, {4}, "blocks");
ABSL_FLAG(examples::AtLeast<1>, heads, {4}, "heads of attention in a block");
ABSL_FLAG(examples::AtLeast<1>, units, {128}, "units of a character");
ABSL_FLAG(double, dropout, 0, "share that is dropped in training");
ABSL_FLAG(double, lr, 1e-3,
          "largest learning rate, after a twentieth of the steps; it ends at a "
          "tenth");
ABSL_FLAG(examples::AtLeast<1>, iteration, {2000}, "steps");
ABSL_FLAG(examples::AtLeast<1>, interval, {500},
          "steps between evaluations, texts and snapshots");
ABSL_FLAG(std::string, start, "ROMEO:\n", "what the texts begin with");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(examples::AutocastFlag, autocast, {},
          "computes products in bfloat16 or float16; off: in float32");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// Scores (B, T, vocabulary) and next characters (B, T), one after the other.
Variable loss_of(const Variable& scores, const Variable& next) {
  const int64_t count = next.size();
  return F::softmax_cross_entropy(
      F::reshape(scores, {count, scores.shape()[2]}),
      F::reshape(next, {count}));
}

std::string read_text(const std::string& path) {
  if (path.empty()) return datasets::get_shakespeare_text();
  std::ifstream file(path, std::ios::binary);
  if (!file) raise<IoError>("--text: cannot read ", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));
  const int64_t context = GetFlag(FLAGS_context);
  const int64_t iterations = GetFlag(FLAGS_iteration);
  const int64_t batch_size = GetFlag(FLAGS_batchsize);
  const int64_t every = GetFlag(FLAGS_interval);
  const training::AnyTrigger interval(every, "iteration");

  // 1. The text: all windows of its first nine tenths for training, and windows
  // side by side of the rest.
  const std::string text = read_text(GetFlag(FLAGS_text));
  const examples::Characters characters(text);
  const Array ids = characters.encode(text);
  const int64_t split = ids.size() - ids.size() / 10;
  const datasets::TokenDataset train(ids[{Slice(0, split)}], context);
  const datasets::TokenDataset valid(ids[{Slice(split, ids.size())}], context,
                                     {.stride = context});
  if (valid.size() == 0) {
    raise<ValueError>("expected a text of more than ", 10 * context,
                      " characters, ten times the context, got ", text.size());
  }
  iterators::SerialIterator train_iter(train, batch_size);
  iterators::SerialIterator valid_iter(valid, 64,
                                       {.repeat = false, .shuffle = false});

  // 2. The model.
  L::Classifier model(L::Gpt2({.vocabulary = characters.size(),
                               .context = context,
                               .units = GetFlag(FLAGS_units),
                               .heads = GetFlag(FLAGS_heads),
                               .layers = GetFlag(FLAGS_layers),
                               .dropout = GetFlag(FLAGS_dropout)}),
                      {.lossfun = loss_of, .compute_accuracy = false});
  model.to_device(device);
  std::cout << characters.size() << " characters, " << model.count_params()
            << " parameters\n";

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
                                    {.device = device, .autocast = autocast});
  training::Trainer trainer(updater, {iterations, "iteration"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::CosineShift("lr", iterations,
                                         {.target = GetFlag(FLAGS_lr) / 10,
                                          .warmup_iter = iterations / 20}),
                 {.trigger = {1, "iteration"}});
  trainer.extend(extensions::Evaluator(valid_iter, model, {.device = device}),
                 {.trigger = interval});
  trainer.extend(extensions::observe_lr(), {.trigger = interval});
  trainer.extend(extensions::LogReport({.trigger = interval}));
  trainer.extend(
      extensions::PrintReport({"iteration", "main/loss", "validation/main/loss",
                               "lr", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  const std::string start = GetFlag(FLAGS_start);
  trainer.extend(extensions::TextSamples([&] {
                   return examples::write_text(*model.predictor, characters,
                                               start);
                 }),
                 {.trigger = interval});
  trainer.extend(extensions::HtmlReport());
  trainer.extend(extensions::snapshot({.n_retains = 2}), {.trigger = interval});
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
  serializers::save_npz(trainer.out_path("model.npz"), *model.predictor);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Trains a small GPT.", train);
}
