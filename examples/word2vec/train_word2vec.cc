// Learns vectors for words from the words around them (Mikolov et al., 2013):
// an iterator and a converter of your own, and three losses for a vocabulary of
// thousands.
//
//   Data:   speeches of Shakespeare ship with catena: 248 thousand words.
//           --dataset=ptb uses the Penn Treebank, 930 thousand words
//           (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/word2vec:train_word2vec
//   Expect: a loss, the mean of all predictions, that falls from 5.6 to 5.35 in
//           20 epochs, which take 20 seconds, and then word2vec.model in the
//           folder result, or in --out, in which search finds "four" and
//           "twenty" near "three". Neighbors of a word are hard to predict:
//           without it, by their frequencies, the loss is 5.56.
//   Resume: --resume=latest --epoch=30 continues after the last saved epoch.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/load_text.h"
#include "catena/examples/support/resume.h"
#include "catena/examples/word2vec/window_iterator.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, dataset, "shakespeare", "shakespeare or ptb");
ABSL_FLAG(std::string, data_dir, "", "folder of ptb.train.txt and the others");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "length of the vectors");
ABSL_FLAG(examples::AtLeast<1>, window, {5},
          "at most so many words to each side");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {1000},
          "words in a minibatch, each with those around it");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the text");
ABSL_FLAG(
    std::string, model, "skipgram",
    "skipgram, where each word around predicts the center, or cbow, where "
    "their mean does");
ABSL_FLAG(std::string, out_type, "hsm",
          "hsm (hierarchical softmax), ns (negative sampling) or original "
          "(softmax over all words)");
ABSL_FLAG(examples::AtLeast<1>, negative_size, {5}, "negative samples for ns");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(examples::AtLeast<1>, snapshot_interval, {10},
          "epochs between snapshots");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(bool, test, false, "uses only the first words, for a quick test");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// Softmax over all words. Like the links for the other losses, this gives the
// sum over the minibatch.
class SoftmaxCrossEntropyLoss : public Chain<SoftmaxCrossEntropyLoss> {
 public:
  SoftmaxCrossEntropyLoss(int64_t n_in, int64_t n_out)
      : out(this, "out", n_in, n_out, {.initialW = 0}) {}

  Variable forward(const Variable& x, const Variable& t) {
    return F::softmax_cross_entropy(out(x), t) * t.len();
  }

 private:
  Child<L::Linear> out;
};

// Both models: x are the center words, (B,), and contexts the words around
// them, (B, C).

// Predicts the center word from the mean of the vectors around it.
template <class LossFunc>
class ContinuousBoW : public Chain<ContinuousBoW<LossFunc>> {
 public:
  ContinuousBoW(int64_t n_vocab, int64_t n_units, const LossFunc& loss_func)
      : embed(this, "embed", n_vocab, n_units,
              {.initialW = initializers::Uniform(1.0 / n_units)}),
        loss_func(this, "loss_func", loss_func) {}

  Variable forward(const Variable& x, const Variable& contexts) {
    const Variable loss = loss_func(F::mean(embed(contexts), 1), x);
    report({{"loss", loss.data() / x.len()}}, this);
    return loss;
  }

  Child<L::EmbedID> embed;

 private:
  Child<LossFunc> loss_func;
};

// Predicts the center word from the vector of each word around it.
template <class LossFunc>
class SkipGram : public Chain<SkipGram<LossFunc>> {
 public:
  SkipGram(int64_t n_vocab, int64_t n_units, const LossFunc& loss_func)
      : embed(this, "embed", n_vocab, n_units,
              {.initialW = initializers::Uniform(1.0 / n_units)}),
        loss_func(this, "loss_func", loss_func) {}

  Variable forward(const Variable& x, const Variable& contexts) {
    const Variable e = embed(F::reshape(contexts, {-1}));
    const Variable t = F::reshape(
        F::broadcast_to(F::expand_dims(x, 1), contexts.shape()), {-1});
    const Variable loss = loss_func(e, t);
    report({{"loss", loss.data() / t.len()}}, this);
    return loss;
  }

  Child<L::EmbedID> embed;

 private:
  Child<LossFunc> loss_func;
};

// The iterator's minibatches are arrays already: there is nothing to stack.
dataset::Example convert(const dataset::Batch& batch,
                         const std::optional<Device>& device) {
  const dataset::Example arrays = batch.gather().value();
  return {dataset::to_device(device, arrays[0]),
          dataset::to_device(device, arrays[1])};
}

// word2vec's text format: the numbers of words and units, then a line for each
// word. A blank in a word becomes an underscore.
void write_vectors(const std::filesystem::path& path,
                   const std::vector<std::string>& words, const Array& W) {
  std::ofstream out(path);
  out << words.size() << " " << W.shape()[1] << "\n";
  const std::vector<float> numbers = W.to_vector<float>();
  auto number = numbers.begin();
  for (std::string word : words) {
    std::replace(word.begin(), word.end(), ' ', '_');
    out << word;
    for (int64_t i = 0; i < W.shape()[1]; ++i) out << " " << *number++;
    out << "\n";
  }
}

template <class Model>
void train(Model model, const examples::Text& text) {
  optimizers::Adam optimizer;
  optimizer.setup(model);

  const Device device = current_device();
  const int64_t window = GetFlag(FLAGS_window);
  const int64_t batchsize = GetFlag(FLAGS_batchsize);
  examples::WindowIterator train_iter(text.ids.train, window, batchsize);
  examples::WindowIterator val_iter(text.ids.valid, window, batchsize,
                                    {.repeat = false});

  training::StandardUpdater updater(train_iter, optimizer,
                                    {.converter = convert, .device = device});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(
      val_iter, model, {.converter = convert, .device = device}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "elapsed_time"}));
  trainer.extend(
      extensions::PlotReport({"main/loss", "validation/main/loss"},
                             {.x_key = "epoch", .file_name = "loss.png"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(
      extensions::snapshot({.n_retains = 2}),
      {.trigger = {GetFlag(FLAGS_snapshot_interval).value, "epoch"}});
  trainer.extend(extensions::StopOnInterrupt());
  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();

  write_vectors(trainer.out_path("word2vec.model"), text.words,
                model.embed->W.data());
}

// Trains with that loss.
template <class LossFunc>
void train_with(const LossFunc& loss_func, const examples::Text& text) {
  const auto n_vocab = static_cast<int64_t>(text.words.size());
  const int64_t n_units = GetFlag(FLAGS_unit);
  const std::string model = GetFlag(FLAGS_model);
  if (model == "skipgram") {
    train(SkipGram(n_vocab, n_units, loss_func), text);
  } else if (model == "cbow") {
    train(ContinuousBoW(n_vocab, n_units, loss_func), text);
  } else {
    raise<ValueError>("--model: expected skipgram or cbow, got '", model, "'");
  }
}

void run() {
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  array::random::seed(GetFlag(FLAGS_seed));
  const int64_t n_units = GetFlag(FLAGS_unit);
  const std::string out_type = GetFlag(FLAGS_out_type);

  examples::Text text =
      examples::load_text(GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  if (GetFlag(FLAGS_test)) text = examples::first_words(text);
  const auto n_vocab = static_cast<int64_t>(text.words.size());
  // From 1: Huffman's tree is deep where words have the count 0.
  std::vector<int64_t> counts(n_vocab, 1);
  for (const int64_t id : text.ids.train.to_vector<int64_t>()) ++counts[id];

  std::cout << "# unit: " << n_units << "\n# Window: " << GetFlag(FLAGS_window)
            << "\n# Minibatch-size: " << GetFlag(FLAGS_batchsize)
            << "\n# epoch: " << GetFlag(FLAGS_epoch)
            << "\n# Training model: " << GetFlag(FLAGS_model)
            << "\n# Output type: " << out_type << "\n# n_vocab: " << n_vocab
            << "\n# data length: " << text.ids.train.size() << "\n\n";

  if (out_type == "hsm") {
    std::vector<std::pair<int64_t, int64_t>> word_counts;
    for (int64_t id = 0; id < n_vocab; ++id) {
      word_counts.emplace_back(id, counts[id]);
    }
    L::BinaryHierarchicalSoftmax loss_func(n_units,
                                           L::create_huffman_tree(word_counts));
    loss_func.W.data().fill(0);
    train_with(loss_func, text);
  } else if (out_type == "ns") {
    train_with(
        L::NegativeSampling(n_units, counts, GetFlag(FLAGS_negative_size)),
        text);
  } else if (out_type == "original") {
    train_with(SoftmaxCrossEntropyLoss(n_units, n_vocab), text);
  } else {
    raise<ValueError>("--out_type: expected hsm, ns or original, got '",
                      out_type, "'");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Learns vectors for words.", run);
}
