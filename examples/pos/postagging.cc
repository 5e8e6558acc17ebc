// Tags the words of sentences with their parts of speech. In a linear-chain
// conditional random field (CRF), the score of a sequence of tags is the sum of
// a cost for each word with its tag and a cost for each tag after the one
// before: "will" is a noun after "the", a verb after "they". Training and the
// search for the best tags go over whole sentences. (J. Lafferty et al.,
// Conditional random fields, 2001.)
//
//   Data:   sentences of a small grammar, in which many words can be several
//           parts of speech. --data takes a file with one sentence per line, as
//           word/tag word/tag, or the folder of the Brown corpus, which is in
//           https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/brown.zip
//           (with its hundreds of tags, training takes hours on a CPU).
//   Run:    ./bazelw run //examples/pos:postagging
//   Expect: after 20 epochs, about 5 seconds, 99 % of the tags in new sentences
//           are right; 83 % with --notransitions, where each word is tagged on
//           its own. Some sentences are printed.
//   Resume: --resume=latest --epoch=40 continues after the last saved epoch.

#include <algorithm>
#include <iostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/pos/grammar.h"
#include "catena/examples/pos/tagged_sentences.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace xp = catena::array;

ABSL_FLAG(std::string, data, "",
          "a file of lines word/tag word/tag, or the folder of the Brown "
          "corpus; by default sentences are made up");
ABSL_FLAG(bool, transitions, true,
          "learn costs of tags after each other; --notransitions tags each "
          "word on its own");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {30}, "sentences in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training set");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

using Sequences = std::vector<Variable>;

// Sequences in the order that F::transpose_sequence needs. The sort is stable:
// words and tags of a sentence come to the same place.
Sequences longest_first(Sequences xs) {
  std::stable_sort(
      xs.begin(), xs.end(),
      [](const Variable& a, const Variable& b) { return a.len() > b.len(); });
  return xs;
}

class CRF : public Chain<CRF> {
 public:
  // Words that are not in the training set have no costs; then the tags around
  // them decide.
  CRF(int64_t n_vocab, int64_t n_pos)
      : feature(this, "feature", n_vocab, n_pos, {.initialW = 0}),
        crf(this, "crf", n_pos) {}

  // The negative log-likelihood of the tags ys of sentences xs, their mean.
  Variable forward(const Sequences& xs, const Sequences& ys) {
    const Variables hs = costs(xs);
    const Variables ts = F::transpose_sequence(longest_first(ys));
    Variable loss = crf(hs, ts);

    const Array tags = xp::concatenate(crf->argmax(hs).second);
    const Array correct = xp::equal(tags, F::concat(ts, 0).data());
    report({{"loss", loss},
            {"correct", xp::sum(correct)},
            {"total", correct.size()}},
           this);
    return loss;
  }

  // The most likely tags of a sentence.
  Array predict(const Variable& x) {
    const auto no_graph = no_backprop_mode();
    return xp::concatenate(crf->argmax(costs({x})).second);
  }

  Child<L::EmbedID> feature;
  Child<L::CRF1d> crf;

 private:
  // The costs of all tags, step by step: for the first words of all sentences,
  // then for the second ones, and so on.
  Variables costs(const Sequences& xs) {
    Variables hs;
    for (const Variable& step : F::transpose_sequence(longest_first(xs))) {
      hs.push_back(feature(step));
    }
    return hs;
  }
};

// Numbers words, or tags, in the order of their first appearance.
class Vocabulary {
 public:
  int32_t number_of(const std::string& name) {
    const auto [entry, is_new] = numbers_.try_emplace(name, size());
    if (is_new) names_.push_back(name);
    return entry->second;
  }
  const std::string& operator[](int32_t number) const { return names_[number]; }
  int32_t size() const { return static_cast<int32_t>(names_.size()); }

 private:
  std::unordered_map<std::string, int32_t> numbers_;
  std::vector<std::string> names_;
};

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  xp::random::seed(GetFlag(FLAGS_seed));

  // 1. The data: the numbers of words and tags, a tenth of it for testing.
  const std::string file = GetFlag(FLAGS_data);
  Vocabulary vocab, pos_vocab;
  std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>> data;
  for (const auto& [words, tags] :
       file.empty() ? examples::make_tagged_sentences(5000, 0)
                    : examples::read_tagged_sentences(file)) {
    auto& [xs, ys] = data.emplace_back();
    for (const auto& word : words) xs.push_back(vocab.number_of(word));
    for (const auto& tag : tags) ys.push_back(pos_vocab.number_of(tag));
  }
  std::cout << "# of sentences: " << data.size()
            << "\n# of words: " << vocab.size()
            << "\n# of pos: " << pos_vocab.size() << "\n\n";
  const auto [test, train] = datasets::split_dataset_random(
      data, std::max<int64_t>(1, static_cast<int64_t>(data.size()) / 10), 0);
  const int64_t batchsize = GetFlag(FLAGS_batchsize);
  iterators::SerialIterator train_iter(train, batchsize);
  iterators::SerialIterator test_iter(test, batchsize,
                                      {.repeat = false, .shuffle = false});

  // 2. The model and the optimizer.
  CRF model(vocab.size(), pos_vocab.size());
  optimizers::Adam optimizer;
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(0.0001));
  // Transition costs that stay 0 say nothing.
  if (!GetFlag(FLAGS_transitions)) model.crf->disable_update();

  // 3. The loop. A minibatch is a list of sentences and a list of their tags.
  training::StandardUpdater updater(
      train_iter, optimizer,
      {.converter = dataset::list_examples, .device = device});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  const extensions::EvaluatorOptions options = {
      .converter = dataset::list_examples, .device = device};
  trainer.extend(extensions::Evaluator(test_iter, model, options));
  // Accuracies of words, whatever the lengths of the sentences.
  for (const std::string key : {"main/", "validation/main/"}) {
    trainer.extend(extensions::MicroAverage(key + "correct", key + "total",
                                            key + "accuracy"));
  }
  trainer.extend(extensions::snapshot({.n_retains = 1}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.extend(
      extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                             {.x_key = "epoch", .file_name = "accuracy.png"}));
  trainer.extend(extensions::ProgressBar({.update_interval = 10}));
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();

  // 4. The test set; for comparison, each word with its most frequent tag.
  const Observation result = extensions::Evaluator(test_iter, model, options)();
  const DeviceScope host(native_device());
  const Array counts =
      xp::zeros({vocab.size(), pos_vocab.size()}, Dtype::kInt32);
  for (int64_t i = 0; i < train.size(); ++i) {
    const dataset::Example sentence = train[i];
    xp::add_at(counts, {sentence[0], sentence[1]}, 1);
  }
  const Array most_frequent = xp::argmax(counts, 1);
  double correct = 0, total = 0;
  for (int64_t i = 0; i < test.size(); ++i) {
    const dataset::Example sentence = test[i];
    const Array tags = xp::take(most_frequent, sentence[0]);
    correct += xp::sum(xp::equal(tags, sentence[1])).item<double>();
    total += static_cast<double>(tags.size());
  }
  std::cout << "\nTest: "
            << 100 * result["main/correct"].as_double() /
                   result["main/total"].as_double()
            << " % of the tags are right; with each word's most frequent tag "
            << 100 * correct / total << " % are.\n";

  // 5. Some tagged sentences; where a tag is wrong, the right one follows.
  for (int64_t i = 0; i < std::min<int64_t>(test.size(), 5); ++i) {
    const dataset::Example sentence = test[i];
    const auto words = sentence[0].to_vector<int32_t>();
    const auto tags = sentence[1].to_vector<int32_t>();
    const auto predicted =
        model.predict(sentence[0].to_device(device)).to_vector<int32_t>();
    for (size_t j = 0; j < words.size(); ++j) {
      std::cout << vocab[words[j]] << "/" << pos_vocab[predicted[j]];
      if (predicted[j] != tags[j]) {
        std::cout << "(" << pos_vocab[tags[j]] << ")";
      }
      std::cout << (j + 1 < words.size() ? " " : "\n");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Learns to tag words with their parts of speech.", train);
}
