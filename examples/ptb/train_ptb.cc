// Trains a language model, two layers of LSTM that predict the next word of a
// text, by truncated backpropagation through time: an iterator and an updater
// of your own.
//
//   Data:   speeches of Shakespeare ship with catena: 248 thousand words.
//           --dataset=ptb uses the Penn Treebank, 930 thousand words
//           (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/ptb:train_ptb
//   Expect: a validation perplexity of 83 after 4 epochs, which take one to two
//           minutes. A bigram model, which knows the previous word alone, has
//           172 with additive smoothing and 127 when it is interpolated with
//           the frequencies of words. The folder result, or --out, has the log,
//           snapshots and the model, which gentxt writes texts with.
//   Resume: --resume=latest --epoch=5 continues after the last saved epoch,
//           with the states of the LSTMs at zero.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/ptb/parallel_sequential_iterator.h"
#include "catena/examples/ptb/rnn_for_lm.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/load_text.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, dataset, "shakespeare", "shakespeare or ptb");
ABSL_FLAG(std::string, data_dir, "", "folder of ptb.train.txt and the others");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {20},
          "places of the text to read at, a minibatch");
ABSL_FLAG(examples::AtLeast<1>, bproplen, {35},
          "words to read at each place in an iteration, the length of "
          "backpropagation");
ABSL_FLAG(std::optional<examples::AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the text (4 for shakespeare, 39 for ptb)");
ABSL_FLAG(std::optional<examples::AtLeast<1>>, unit, std::nullopt,
          "units in a layer (200 for shakespeare, 650 for ptb)");
ABSL_FLAG(double, gradclip, 5, "the largest norm of the gradient");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(std::string, model, "model.npz", "file for the model, in --out");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(bool, test, false, "uses only the first words, for a quick test");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// Reads `bprop_len` words at each place, adds up the losses, and takes one
// step. The LSTMs keep their states for the next iteration, but not how they
// were computed: gradients end there.
class BPTTUpdater : public training::StandardUpdater {
 public:
  BPTTUpdater(dataset::Iterator& train_iter, Optimizer& optimizer,
              int64_t bprop_len, Device device)
      : StandardUpdater(train_iter, optimizer, {.device = device}),
        bprop_len_(bprop_len) {}

 protected:
  void update_core() override {
    Optimizer& optimizer = main_optimizer();
    const Variable loss = optimizer.update([&] {
      Variable sum;
      for (int64_t i = 0; i < bprop_len_; ++i) {
        const auto batch = next_batch(main_iterator());
        const Variable loss = optimizer.loss_function()(batch);
        sum = sum.defined() ? sum + loss : loss;
      }
      return sum;
    });
    loss.unchain_backward();
  }

 private:
  int64_t bprop_len_;
};

// The perplexity is the number of words among which the model is in doubt.
void compute_perplexity(Observation& entry) {
  entry.set("perplexity", std::exp(entry["main/loss"].as_double()));
  if (const auto* loss = entry.find("validation/main/loss")) {
    entry.set("val_perplexity", std::exp(loss->as_double()));
  }
}

struct Settings {
  examples::AtLeast<1> epoch;
  examples::AtLeast<1> unit;
  training::AnyTrigger log_interval;
};
const Settings kShakespeare = {{4}, {200}, {1, "epoch"}};
const Settings kPtb = {{39}, {650}, {500, "iteration"}};

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));
  const Settings& defaults =
      GetFlag(FLAGS_dataset) == "ptb" ? kPtb : kShakespeare;
  const int64_t n_units = GetFlag(FLAGS_unit).value_or(defaults.unit);
  const int64_t epochs = GetFlag(FLAGS_epoch).value_or(defaults.epoch);
  const bool test = GetFlag(FLAGS_test);

  // 1. The text. Evaluation at 20 places at once is faster than at one.
  examples::Text text =
      examples::load_text(GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  if (test) text = examples::first_words(text);
  const auto n_vocab = static_cast<int64_t>(text.words.size());
  std::cout << "#vocab = " << n_vocab << "\n";
  examples::ParallelSequentialIterator train_iter(text.ids.train,
                                                  GetFlag(FLAGS_batchsize));
  examples::ParallelSequentialIterator val_iter(text.ids.valid, 20,
                                                {.repeat = false});
  examples::ParallelSequentialIterator test_iter(text.ids.test, 20,
                                                 {.repeat = false});

  // 2. The model, and a copy for evaluation with the same parameters but states
  // of its own.
  L::Classifier model(examples::RNNForLM(n_vocab, n_units),
                      {.compute_accuracy = false});
  L::Classifier eval_model = copy(model);
  const extensions::EvaluatorOptions from_the_start = {
      .device = device, .eval_hook = [&](extensions::Evaluator&) {
        eval_model.predictor->reset_state();
      }};

  // 3. The gradient of a recurrent network may explode: clip it.
  optimizers::SGD optimizer({.lr = 1.0});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::GradientClipping(GetFlag(FLAGS_gradclip)));

  // 4. The training loop.
  BPTTUpdater updater(train_iter, optimizer, GetFlag(FLAGS_bproplen), device);
  training::Trainer trainer(updater, {epochs, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(val_iter, eval_model, from_the_start));
  trainer.extend(extensions::LogReport(
      {.trigger =
           test ? training::AnyTrigger(10, "iteration") : defaults.log_interval,
       .postprocess = compute_perplexity}));
  trainer.extend(extensions::PrintReport(
      {"epoch", "iteration", "perplexity", "val_perplexity", "elapsed_time"}));
  trainer.extend(
      extensions::PlotReport({"main/loss", "validation/main/loss"},
                             {.x_key = "epoch", .file_name = "loss.png"}));
  trainer.extend(extensions::ProgressBar({.update_interval = test ? 1 : 10}));
  trainer.extend(extensions::snapshot({.n_retains = 2}));
  trainer.extend(extensions::snapshot_object(
      model, "model_iter_{.updater.iteration}", {.n_retains = 2}));
  trainer.extend(extensions::StopOnInterrupt());

  // gentxt needs the words, in the order of their ids, beside the model.
  const std::filesystem::path out = GetFlag(FLAGS_out);
  std::filesystem::create_directories(out);
  std::ofstream vocabulary(out / "vocabulary.txt");
  for (const std::string& word : text.words) vocabulary << word << "\n";
  vocabulary.close();

  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();

  // 5. An evaluator is also a function.
  const Observation result =
      extensions::Evaluator(test_iter, eval_model, from_the_start)();
  std::cout << "test perplexity: " << std::exp(result["main/loss"].as_double())
            << "\n";
  serializers::save_npz((out / GetFlag(FLAGS_model)).string(), model);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Trains a language model.", train);
}
