// Splits the sentences of a corpus into words for seq2seq, and counts the words
// for a vocabulary.
//
//   Data:   a file with a sentence per line, plain or gzipped, such as those of
//           http://www.statmt.org/wmt10/training-giga-fren.tar (22.5 million
//           sentences) and, for validation, newstest2013 of
//           http://www.statmt.org/wmt15/dev-v2.tgz
//   Run:    ./bazelw run //examples/seq2seq:wmt_preprocess --
//             --in=giga-fren.release2.fixed.en --out=giga-fren.preprocess.en
//             --vocab_file=vocab.en
//   Expect: "He said: it's 25 km." becomes "He said : it ' s 00 km ."; the
//           vocabulary has a word per line, the most frequent first. A million
//           lines take about five seconds.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/array/core/error.h"
#include "catena/examples/seq2seq/sentences.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;

ABSL_FLAG(std::string, in, "", "corpus: a sentence per line");
ABSL_FLAG(std::string, out, "", "file for its words, separated by spaces");
ABSL_FLAG(std::string, vocab_file, "", "file for the vocabulary, if wanted");
ABSL_FLAG(examples::AtLeast<1>, vocab_size, {40'000},
          "words of the vocabulary, at most");
ABSL_FLAG(bool, lower, false, "converts to lower case");

namespace {

// The most frequent words; of equally frequent ones, those that came first.
class Counter {
 public:
  void add(const std::string& word) {
    const auto [entry, is_new] = places_.try_emplace(word, counts_.size());
    if (is_new) counts_.emplace_back(0, word);
    ++counts_[entry->second].first;
  }
  std::vector<std::string> most_common(size_t size) const {
    auto sorted = counts_;
    std::stable_sort(
        sorted.begin(), sorted.end(),
        [](const auto& a, const auto& b) { return a.first > b.first; });
    sorted.resize(std::min(size, sorted.size()));
    std::vector<std::string> words;
    for (auto& [count, word] : sorted) words.push_back(std::move(word));
    return words;
  }

 private:
  std::unordered_map<std::string, size_t> places_;
  std::vector<std::pair<int64_t, std::string>> counts_;
};

void preprocess() {
  const std::string in = GetFlag(FLAGS_in);
  const std::string out = GetFlag(FLAGS_out);
  const std::string vocab_file = GetFlag(FLAGS_vocab_file);
  if (in.empty() || out.empty()) {
    raise<ValueError>(
        "expected --in=CORPUS --out=FILE; corpora are at "
        "http://www.statmt.org/wmt15/");
  }

  std::ofstream preprocessed(out);
  if (!preprocessed) raise<IoError>("cannot write ", out);
  Counter counter;
  int64_t tokens = 0;
  examples::for_each_line(in, [&](const std::string& line) {
    // Typographic apostrophes are the same as typewritten ones.
    std::string text = line;
    for (size_t i; (i = text.find("\u2019")) != std::string::npos;) {
      text.replace(i, 3, 1, '\'');
    }
    if (GetFlag(FLAGS_lower)) text = examples::to_lower(text);
    const auto words = examples::split_sentence(examples::hide_digits(text));
    preprocessed << examples::join(words) << '\n';
    if (!vocab_file.empty()) {
      for (const std::string& word : words) counter.add(word);
    }
    tokens += static_cast<int64_t>(words.size());
  });
  preprocessed.close();
  if (!preprocessed) raise<IoError>("cannot write ", out);
  std::cout << "number of tokens: " << tokens << "\n";

  if (!vocab_file.empty()) {
    const auto vocabulary = counter.most_common(GetFlag(FLAGS_vocab_size));
    examples::write_lines(vocab_file, vocabulary);
    std::cout << "number of words: " << vocabulary.size() << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Splits sentences into words for seq2seq.", preprocess);
}
