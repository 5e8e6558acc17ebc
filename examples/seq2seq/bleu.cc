#include "catena/examples/seq2seq/bleu.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "catena/array/core/error.h"

namespace catena::examples {
namespace {

using Sentence = std::vector<int32_t>;

// How often each n-gram occurs in a sentence.
std::map<Sentence, int64_t> count_ngrams(const Sentence& sentence, size_t n) {
  std::map<Sentence, int64_t> counts;
  for (size_t i = 0; i + n <= sentence.size(); ++i) {
    const std::span<const int32_t> ngram = std::span(sentence).subspan(i, n);
    ++counts[Sentence(ngram.begin(), ngram.end())];
  }
  return counts;
}

}  // namespace

double corpus_bleu(const std::vector<Sentence>& references,
                   const std::vector<Sentence>& translations) {
  if (references.size() != translations.size()) {
    raise<ValueError>("corpus_bleu: expected a reference for each translation",
                      ", got ", references.size(), " for ",
                      translations.size());
  }
  double log_precision = 0;
  for (size_t n = 1; n <= 4; ++n) {
    int64_t matches = 0;
    int64_t total = 0;
    for (size_t i = 0; i < translations.size(); ++i) {
      auto expected = count_ngrams(references[i], n);
      int64_t ngrams = 0;
      for (const auto& [ngram, count] : count_ngrams(translations[i], n)) {
        matches += std::min(count, expected[ngram]);
        ngrams += count;
      }
      // As in NLTK, even a sentence without n-grams counts.
      total += std::max(ngrams, int64_t{1});
    }
    if (n == 1 && matches == 0) return 0;
    const double smoothed = matches > 0 ? static_cast<double>(matches) : 0.1;
    log_precision += std::log(smoothed / static_cast<double>(total)) / 4;
  }
  double expected_words = 0;
  double words = 0;
  for (const Sentence& s : references) {
    expected_words += static_cast<double>(s.size());
  }
  for (const Sentence& s : translations) words += static_cast<double>(s.size());
  return std::exp(log_precision + std::min(0.0, 1 - expected_words / words));
}

}  // namespace catena::examples
