// Runs train_ptb with its defaults, about a minute on two cores, and compares
// it with models that know the previous word alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catena/dataset/datasets/shakespeare.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::datasets::get_shakespeare_words;
using ::catena::datasets::get_shakespeare_words_vocabulary;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

// Counts of words and of pairs of words.
class Bigrams {
 public:
  Bigrams(const std::vector<int32_t>& words, size_t n_vocab)
      : counts_(n_vocab), total_(static_cast<double>(words.size())) {
    for (size_t i = 0; i < words.size(); ++i) {
      ++counts_[words[i]];
      if (i > 0) ++pairs_[{words[i - 1], words[i]}];
    }
  }

  // The perplexity of a text for the probability f(pair, before, word, total)
  // of a word after another, where all arguments are counts.
  template <class Probability>
  double perplexity(const std::vector<int32_t>& words, Probability f) const {
    double sum = 0;
    for (size_t i = 1; i < words.size(); ++i) {
      const auto pair = pairs_.find({words[i - 1], words[i]});
      sum += std::log(f(pair == pairs_.end() ? 0.0 : pair->second,
                        counts_[words[i - 1]], counts_[words[i]], total_));
    }
    return std::exp(-sum / static_cast<double>(words.size() - 1));
  }

 private:
  std::map<std::pair<int32_t, int32_t>, double> pairs_;
  std::vector<double> counts_;
  double total_;
};

TEST(PtbLongTest, TheLanguageModelIsAheadOfBigrams) {
  const auto n_vocab =
      static_cast<double>(get_shakespeare_words_vocabulary().size());
  const auto [train, valid, test] = get_shakespeare_words();
  const Bigrams bigrams(train.to_vector<int32_t>(),
                        static_cast<size_t>(n_vocab));
  const auto words = valid.to_vector<int32_t>();
  // The best parameters for this very text, in favor of the bigrams.
  double additive = std::numeric_limits<double>::infinity();
  for (const double k : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0}) {
    additive = std::min(
        additive, bigrams.perplexity(
                      words, [&](double pair, double before, double, double) {
                        return (pair + k) / (before + k * n_vocab);
                      }));
  }
  double interpolated = std::numeric_limits<double>::infinity();
  for (const double share : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8}) {
    interpolated = std::min(
        interpolated, bigrams.perplexity(words, [&](double pair, double before,
                                                    double word, double total) {
          return share * pair / std::max(before, 1.0) +
                 (1 - share) * (word + 0.1) / (total + 0.1 * n_vocab);
        }));
  }

  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program program("examples/ptb/train_ptb", {"--out=" + out}, folder);
  ASSERT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  const double reached = log.back()["val_perplexity"];
  std::cout << "bigrams, additive: " << additive
            << ", interpolated: " << interpolated << "; LSTMs: " << reached
            << "\n";
  EXPECT_LT(reached, 0.9 * interpolated);
  EXPECT_LT(interpolated, additive);
}

}  // namespace
