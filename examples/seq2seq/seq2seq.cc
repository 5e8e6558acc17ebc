// Translates sentences with a sequence-to-sequence model (Sutskever et al.,
// 2014): a stacked LSTM encodes a sentence in its last states, from which
// another one writes the translation, word by word.
//
//   Data:   dates in words and in digits, made up by dates.h:
//             "Sunday , the third of May 1998" -> "1 9 9 8 - 0 5 - 0 3"
//           or two files of sentences, line by line translations of each other,
//           and their vocabularies, which wmt_preprocess makes:
//             --source=train.en --target=train.fr
//             --source_vocab=vocab.en --target_vocab=vocab.fr
//             --validation_source=dev.en --validation_target=dev.fr
//   Run:    ./bazelw run //examples/seq2seq
//   Expect: with dates, in about half a minute, a BLEU score above 0.99, and 99
//           of 100 new dates without any error; translations, log and snapshots
//           in the folder result, or in --out.
//   Resume: --resume=latest --epoch=40 continues after the last snapshot.

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/seq2seq/bleu.h"
#include "catena/examples/seq2seq/dates.h"
#include "catena/examples/seq2seq/sentences.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
using namespace catena::examples;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace xp = catena::array;

using Size = AtLeast<1>;

ABSL_FLAG(std::string, source, "", "sentences, one per line");
ABSL_FLAG(std::string, target, "", "their translations, one per line");
ABSL_FLAG(std::string, source_vocab, "",
          "words of the sentences, one per line");
ABSL_FLAG(std::string, target_vocab, "", "words of the translations");
ABSL_FLAG(std::string, validation_source, "", "sentences for validation");
ABSL_FLAG(std::string, validation_target, "", "their translations");
ABSL_FLAG(Size, min_source_sentence, {1}, "words of a sentence, at least");
ABSL_FLAG(Size, max_source_sentence, {50}, "words of a sentence, at most");
ABSL_FLAG(Size, min_target_sentence, {1}, "words of a translation, at least");
ABSL_FLAG(Size, max_target_sentence, {50}, "words of a translation, at most");
ABSL_FLAG(bool, use_dataset_api, false,
          "reads sentences from the files on demand, to save memory");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(Size, batchsize, {64}, "pairs of sentences in a minibatch");
ABSL_FLAG(std::optional<Size>, epoch, std::nullopt,
          "sweeps over the training set (8 for dates, 20 for files)");
ABSL_FLAG(std::optional<Size>, unit, std::nullopt,
          "units of a layer (128 for dates, 1024 for files)");
ABSL_FLAG(std::optional<Size>, layer, std::nullopt,
          "layers (2 for dates, 3 for files)");
ABSL_FLAG(Size, log_interval, {200}, "iterations between lines of the log");
ABSL_FLAG(std::optional<Size>, validation_interval, std::nullopt,
          "iterations between evaluations, which also save a snapshot (200 for "
          "dates, 4000 for files)");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(std::string, save, "", "file for a snapshot at the end");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// Embeds all sentences at once.
Variables sequence_embed(Child<L::EmbedID>& embed,
                         const std::vector<Variable>& xs) {
  std::vector<int64_t> ends;
  for (const Variable& x : xs) {
    ends.push_back(x.shape()[0] + (ends.empty() ? 0 : ends.back()));
  }
  ends.pop_back();
  return F::split_axis(embed(F::concat(xs, 0)), ends, 0);
}

class Seq2seq : public Chain<Seq2seq> {
 public:
  Seq2seq(int64_t layers, int64_t source_words, int64_t target_words,
          int64_t units)
      : embed_x(this, "embed_x", source_words, units),
        embed_y(this, "embed_y", target_words, units),
        encoder(this, "encoder", layers, units, units, 0.1),
        decoder(this, "decoder", layers, units, units, 0.1),
        W(this, "W", units, target_words) {}

  // The cross entropy per sentence. The decoder reads the translation with
  // <EOS> in front, and learns to write it with <EOS> at the end.
  Variable forward(const std::vector<Variable>& xs,
                   const std::vector<Variable>& ys) {
    const Variable eos(xp::full({1}, kEnd, Dtype::kInt32));
    std::vector<Variable> ys_in, ys_out;
    for (const Variable& y : ys) {
      ys_in.push_back(F::concat({eos, y}, 0));
      ys_out.push_back(F::concat({y, eos}, 0));
    }
    const auto [h, c] = encode(xs);
    const auto [hy, cy, os] = decoder(h, c, sequence_embed(embed_y, ys_in));
    // One matrix product for all words.
    const Variable t = F::concat(ys_out, 0);
    const Variable entropy = F::sum(
        F::softmax_cross_entropy(W(F::concat(os, 0)), t, {.reduce = "no"}));
    const Variable loss = entropy / xs.size();
    report({{"loss", loss}, {"perp", xp::exp(entropy.array() / t.size())}},
           this);
    return loss;
  }

  // Writes the most likely word, step by step, until <EOS>.
  std::vector<Sentence> translate(const std::vector<Variable>& xs,
                                  size_t max_length = 100) {
    const auto no_graph = no_backprop_mode();
    const auto test_mode = using_config(&Config::train, false);
    auto [h, c] = encode(xs);
    std::vector<int32_t> words(xs.size(), kEnd);
    std::vector<bool> is_written(xs.size());
    std::vector<Sentence> translations(xs.size());
    for (size_t length = 0; length < max_length; ++length) {
      const auto [hy, cy, os] =
          decoder(h, c, F::split_axis(embed_y(xp::array(words)), xs.size(), 0));
      h = hy, c = cy;
      words = W(F::concat(os, 0)).array().argmax(1).to_vector<int32_t>();
      for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == kEnd) is_written[i] = true;
        if (!is_written[i]) translations[i].push_back(words[i]);
      }
      if (std::count(is_written.begin(), is_written.end(), false) == 0) break;
    }
    return translations;
  }

 private:
  // The last states. Reversed sentences are easier to learn: their first words,
  // and those of the translation, are close to each other.
  std::pair<Variable, Variable> encode(const std::vector<Variable>& xs) {
    std::vector<Variable> reversed;
    for (const Variable& x : xs) reversed.push_back(F::flip(x, 0));
    const auto [h, c, unused] =
        encoder(Variable(), Variable(), sequence_embed(embed_x, reversed));
    return {h, c};
  }

  Child<L::EmbedID> embed_x, embed_y;
  Child<L::NStepLSTM> encoder, decoder;
  Child<L::Linear> W;
};

using Pair = std::pair<Sentence, Sentence>;

// Sentences and their translations, read from two files on demand.
class SentencePairs : public dataset::DatasetMixin {
 public:
  using IsWanted =
      std::function<bool(int64_t source_words, int64_t target_words)>;

  // The vocabularies must outlive the dataset.
  SentencePairs(const std::string& source, const Vocabulary& source_ids,
                const std::string& target, const Vocabulary& target_ids,
                const IsWanted& is_wanted)
      : source_ids_(source_ids),
        target_ids_(target_ids),
        lines_({source, target}, {.filter = [&](auto lines) {
                 return is_wanted(to_ids(lines[0], source_ids).size(),
                                  to_ids(lines[1], target_ids).size());
               }}) {}

  int64_t size() const override { return lines_.size(); }
  dataset::Example get_example(int64_t i) const override {
    auto [source, target] = pair(i);
    return {std::move(source), std::move(target)};
  }
  Pair pair(int64_t i) const {
    const std::vector<std::string> lines = lines_.lines(i);
    return {to_ids(lines[0], source_ids_), to_ids(lines[1], target_ids_)};
  }

 private:
  const Vocabulary& source_ids_;
  const Vocabulary& target_ids_;
  datasets::TextDataset lines_;
};

// All of them, in memory.
std::vector<Pair> load(const SentencePairs& lines) {
  std::vector<Pair> pairs;
  double source_words = 0, target_words = 0;
  double source_unknown = 0, target_unknown = 0;
  for (int64_t i = 0; i < lines.size(); ++i) {
    pairs.push_back(lines.pair(i));
    const auto& [source, target] = pairs.back();
    source_words += source.size();
    target_words += target.size();
    source_unknown += std::count(source.begin(), source.end(), kUnknown);
    target_unknown += std::count(target.begin(), target.end(), kUnknown);
    if ((i + 1) % 1'000'000 == 0) {
      std::cerr << i + 1 << " of " << lines.size() << " pairs" << std::endl;
    }
  }
  std::cout << "# unknown words: "
            << 100 * source_unknown / std::max(source_words, 1.0)
            << "% of the sources, "
            << 100 * target_unknown / std::max(target_words, 1.0)
            << "% of the targets\n";
  return pairs;
}

// Reports the BLEU score of the translations of a test set, and the part of
// them without any error.
class CalculateBleu : public training::Extension {
 public:
  CalculateBleu(Seq2seq& model, const std::vector<Pair>& test)
      : model_(model), test_(test) {}

  void operator()(training::Trainer&) override {
    constexpr size_t kBatch = 100;
    std::vector<Sentence> references, translations;
    double exact = 0;
    for (size_t i = 0; i < test_.size(); i += kBatch) {
      std::vector<Variable> sources;
      for (size_t j = i; j < std::min(i + kBatch, test_.size()); ++j) {
        sources.emplace_back(xp::array(test_[j].first));
      }
      for (Sentence& translation : model_.translate(sources)) {
        references.push_back(test_[translations.size()].second);
        exact += translation == references.back();
        translations.push_back(std::move(translation));
      }
    }
    report({{"validation/main/bleu", corpus_bleu(references, translations)},
            {"validation/main/exact", exact / test_.size()}});
  }
  int priority() const override { return training::PRIORITY_WRITER; }

 private:
  Seq2seq& model_;
  const std::vector<Pair>& test_;
};

// The files named by flags, or those of dates.
CorpusFiles find_files() {
  const CorpusFiles files{
      .source = GetFlag(FLAGS_source),
      .target = GetFlag(FLAGS_target),
      .source_vocab = GetFlag(FLAGS_source_vocab),
      .target_vocab = GetFlag(FLAGS_target_vocab),
      .validation_source = GetFlag(FLAGS_validation_source),
      .validation_target = GetFlag(FLAGS_validation_target)};
  if (files.source.empty() && files.target.empty()) {
    return write_dates(GetFlag(FLAGS_out) + "/dates", 12'800, 500,
                       GetFlag(FLAGS_seed));
  }
  if (files.source.empty() || files.target.empty() ||
      files.source_vocab.empty() || files.target_vocab.empty()) {
    raise<ValueError>(
        "expected --source, --target, --source_vocab and --target_vocab: "
        "corpora are at http://www.statmt.org/wmt15/, and wmt_preprocess makes "
        "these files from them");
  }
  if (files.validation_source.empty() != files.validation_target.empty()) {
    raise<ValueError>(
        "expected both --validation_source and --validation_target, or "
        "neither");
  }
  return files;
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  xp::random::seed(GetFlag(FLAGS_seed));
  const bool is_dates = GetFlag(FLAGS_source).empty();
  const auto value_of = [&](const auto& flag, int64_t dates, int64_t files) {
    return GetFlag(flag).value_or(Size{is_dates ? dates : files}).value;
  };

  // 1. The data. Words that are not in a vocabulary become <UNK>.
  const CorpusFiles files = find_files();
  const Vocabulary source_ids = load_vocabulary(files.source_vocab);
  const Vocabulary target_ids = load_vocabulary(files.target_vocab);
  std::cout << "# source vocabulary: " << source_ids.size()
            << "\n# target vocabulary: " << target_ids.size() << "\n";
  const SentencePairs lines(
      files.source, source_ids, files.target, target_ids,
      [](int64_t source_words, int64_t target_words) {
        return source_words >= GetFlag(FLAGS_min_source_sentence) &&
               source_words <= GetFlag(FLAGS_max_source_sentence) &&
               target_words >= GetFlag(FLAGS_min_target_sentence) &&
               target_words <= GetFlag(FLAGS_max_target_sentence);
      });
  std::cout << "# training pairs: " << lines.size() << std::endl;
  const dataset::Dataset train = GetFlag(FLAGS_use_dataset_api)
                                     ? dataset::Dataset(lines)
                                     : dataset::Dataset(load(lines));
  std::vector<Pair> test;
  if (!files.validation_source.empty()) {
    const SentencePairs test_lines(
        files.validation_source, source_ids, files.validation_target,
        target_ids, [](int64_t source_words, int64_t target_words) {
          return source_words > 0 && target_words > 0;
        });
    std::cout << "# validation pairs: " << test_lines.size() << std::endl;
    test = load(test_lines);
  }

  // 2. The model and its optimizer.
  Seq2seq model(value_of(FLAGS_layer, 2, 3), source_ids.size(),
                target_ids.size(), value_of(FLAGS_unit, 128, 1024));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  // 3. The loop. Sentences of different lengths stay lists of arrays.
  const dataset::Converter converter = dataset::list_examples;
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.converter = converter, .device = device});
  training::Trainer trainer(updater, {value_of(FLAGS_epoch, 8, 20), "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  const training::AnyTrigger validation(
      value_of(FLAGS_validation_interval, 200, 4000), "iteration");
  const training::AnyTrigger log(GetFlag(FLAGS_log_interval).value,
                                 "iteration");
  std::vector<std::string> columns{"epoch", "iteration", "main/loss",
                                   "main/perp"};
  if (!test.empty()) {
    columns.insert(columns.end(),
                   {"validation/main/loss", "validation/main/perp",
                    "validation/main/bleu", "validation/main/exact"});
  }
  columns.push_back("elapsed_time");
  trainer.extend(extensions::LogReport({.trigger = log}));
  trainer.extend(extensions::PrintReport(columns));
  if (!test.empty()) {
    trainer.extend(
        extensions::Evaluator(test_iter, model,
                              {.converter = converter, .device = device}),
        {.trigger = validation});
    trainer.extend(CalculateBleu(model, test), {.trigger = validation});
    trainer.extend(extensions::PlotReport(
        {"validation/main/bleu", "validation/main/exact"},
        {.trigger = validation, .file_name = "translations.png"}));
    trainer.extend(
        [&, source_words = words_of(source_ids),
         target_words = words_of(target_ids)](training::Trainer&) {
          const auto chosen = xp::random::randint(0, test.size(), {});
          const auto& [source, target] = test[chosen.item<int64_t>()];
          const Sentence result =
              model.translate({Variable(xp::array(source))})[0];
          std::cout << "# source : " << to_text(source, source_words)
                    << "\n# result : " << to_text(result, target_words)
                    << "\n# expect : " << to_text(target, target_words)
                    << std::endl;
        },
        {.name = "translate", .trigger = validation});
  }
  trainer.extend(extensions::snapshot(), {.trigger = validation});
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
  if (const std::string file = GetFlag(FLAGS_save); !file.empty()) {
    serializers::save_npz(file, trainer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv,
                               "Translates sentences with an encoder and a "
                               "decoder LSTM.",
                               train);
}
