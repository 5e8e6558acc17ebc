// Trains a recursive network to tell good film reviews from bad ones. Along a
// parse tree, the vector of a phrase is computed from those of its two parts,
// and a label from 0, very bad, to 4, very good, is read off each vector. So
// every review has a graph of its own, which define-by-run builds by walking
// the tree. (R. Socher et al., Parsing natural scenes and natural language with
// recursive neural networks, 2011.)
//
//   Data:   made-up reviews, in which the order of words matters ("really not
//           good", "not really good"). For the Stanford Sentiment Treebank, get
//           https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip and
//           unpack it: --data_dir=trees.
//   Run:    ./bazelw run //examples/sentiment:train_sentiment
//   Expect: after 20 epochs, about 10 seconds, the labels of 99 % of the
//   reviews
//           that were not trained on are right. Some are printed.
//   Resume: --resume=latest --epoch=40 continues after the last snapshot.
//
// train_recursive_minibatch.cc does the same several times faster.

#include <algorithm>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/sentiment/treebank.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace xp = catena::array;

ABSL_FLAG(std::string, data_dir, "",
          "folder of train.txt, dev.txt and test.txt of a treebank; by default "
          "reviews are made up");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {25}, "trees in a minibatch");
ABSL_FLAG(std::optional<examples::AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the training set (20, with --data_dir 400)");
ABSL_FLAG(examples::AtLeast<1>, unit, {30}, "size of a phrase's vector");
ABSL_FLAG(examples::AtLeast<1>, label, {5}, "number of labels");
ABSL_FLAG(examples::AtLeast<1>, epocheval, {5},
          "epochs from one evaluation to the next");
ABSL_FLAG(bool, test, false, "use only ten trees of each set");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

using Sequences = std::vector<Variable>;

class RecursiveNet : public Chain<RecursiveNet> {
 public:
  RecursiveNet(int64_t n_vocab, int64_t n_units, int64_t n_label)
      : embed(this, "embed", n_vocab, n_units),
        l(this, "l", 2 * n_units, n_units),
        w(this, "w", n_units, n_label) {}

  Variable leaf(int32_t word) { return embed(xp::array({word})); }
  Variable node(const Variable& left, const Variable& right) {
    return F::tanh(l(F::concat({left, right})));
  }
  Variable label(const Variable& v) { return w(v); }

  // The scores of the labels of all nodes. A tree is a list of nodes, children
  // before parents: a node is a word, or it has a left and a right child.
  Variable predict(const Sequences& words, const Sequences& left,
                   const Sequences& right) {
    Variables all;
    for (size_t i = 0; i < words.size(); ++i) {
      const auto word = words[i].data().to_vector<int32_t>();
      const auto left_of = left[i].data().to_vector<int32_t>();
      const auto right_of = right[i].data().to_vector<int32_t>();
      Variables v;
      for (size_t j = 0; j < word.size(); ++j) {
        v.push_back(word[j] >= 0 ? leaf(word[j])
                                 : node(v[left_of[j]], v[right_of[j]]));
      }
      all.insert(all.end(), v.begin(), v.end());
    }
    return label(F::concat(all, 0));
  }

  // The sum of the cross entropies of all nodes.
  Variable forward(const Sequences& words, const Sequences& left,
                   const Sequences& right, const Sequences& labels) {
    const Variable y = predict(words, left, right);
    const Array t = F::concat(labels, 0).data().to_device(device());
    Variable loss = F::sum(F::softmax_cross_entropy(y, t, {.reduce = "no"}));

    const Array correct = xp::equal(xp::argmax(y.data(), 1), t);
    std::vector<int64_t> roots;  // the last node of each tree
    int64_t count = 0;
    for (const Variable& nodes : labels) {
      roots.push_back((count += nodes.len()) - 1);
    }
    report({{"loss", loss},
            {"correct", xp::sum(correct)},
            {"total", count},
            {"root_correct", xp::sum(xp::take(correct, xp::array(roots)))},
            {"root_total", labels.size()}},
           this);
    return loss;
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::Linear> l, w;
};

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  xp::random::seed(GetFlag(FLAGS_seed));

  // 1. The data.
  const std::string data_dir = GetFlag(FLAGS_data_dir);
  const examples::Treebank bank = examples::load_treebank(
      data_dir, GetFlag(FLAGS_label),
      GetFlag(FLAGS_test) ? 10 : std::numeric_limits<int64_t>::max());
  const auto n_vocab = static_cast<int64_t>(bank.vocabulary.size());
  const int64_t batchsize = GetFlag(FLAGS_batchsize);
  iterators::SerialIterator train_iter(examples::tree_examples(bank.train),
                                       batchsize);
  iterators::SerialIterator dev_iter(examples::tree_examples(bank.dev),
                                     batchsize,
                                     {.repeat = false, .shuffle = false});
  iterators::SerialIterator test_iter(examples::tree_examples(bank.test),
                                      batchsize,
                                      {.repeat = false, .shuffle = false});

  // 2. The model and the optimizer.
  RecursiveNet model(n_vocab, GetFlag(FLAGS_unit), GetFlag(FLAGS_label));
  optimizers::AdaGrad optimizer({.lr = 0.1});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(0.0001));

  // 3. The loop. Trees stay lists, and on the host, where forward() walks along
  // them; only the arrays of the model are on the device.
  const dataset::Converter on_host = [](const dataset::Batch& batch,
                                        const std::optional<Device>&) {
    return dataset::list_examples(batch);
  };
  const auto epoch = GetFlag(FLAGS_epoch);
  const int64_t epochs = epoch ? epoch->value : data_dir.empty() ? 20 : 400;
  const training::AnyTrigger every = {
      std::min(GetFlag(FLAGS_epocheval).value, epochs), "epoch"};
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.converter = on_host});
  training::Trainer trainer(updater, {epochs, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(dev_iter, model, {.converter = on_host}),
                 {.trigger = every});
  // Accuracies of nodes and of roots, over all trees since the last line.
  for (const std::string key : {"main/", "validation/main/"}) {
    trainer.extend(extensions::MicroAverage(key + "correct", key + "total",
                                            key + "accuracy", every));
    trainer.extend(extensions::MicroAverage(key + "root_correct",
                                            key + "root_total",
                                            key + "root_accuracy", every));
  }
  trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = every});
  trainer.extend(extensions::LogReport({.trigger = every}));
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "validation/main/root_accuracy",
       "elapsed_time"}));
  trainer.extend(extensions::PlotReport(
      {"main/root_accuracy", "validation/main/root_accuracy"},
      {.x_key = "epoch", .trigger = every, .file_name = "accuracy.png"}));
  trainer.extend(extensions::ProgressBar({.update_interval = 10}));
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  std::cout << "# trees: " << bank.train.size() << "\n# words: " << n_vocab
            << "\n# epoch: " << epochs << "\n\n";
  trainer.run();

  // 4. The test set, and some of its trees.
  const Observation result =
      extensions::Evaluator(test_iter, model, {.converter = on_host})();
  std::cout << "\nTest: the label is right for "
            << 100 * result["main/correct"].as_double() /
                   result["main/total"].as_double()
            << " % of the phrases, "
            << 100 * result["main/root_correct"].as_double() /
                   result["main/root_total"].as_double()
            << " % of the sentences.\n";
  const auto no_graph = no_backprop_mode();
  for (size_t i = 0; i < std::min<size_t>(bank.test.size(), 5); ++i) {
    const examples::Tree& tree = bank.test[i];
    const Array y =
        model
            .predict({xp::array(tree.words)}, {xp::array(tree.left)},
                     {xp::array(tree.right)})
            .data();
    std::cout << "label " << tree.labels.back() << ", predicted "
              << y[-1].argmax() << ": " << tree.text << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a recursive network on labelled parse trees.", train);
}
