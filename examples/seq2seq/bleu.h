#pragma once

#include <cstdint>
#include <vector>

namespace catena::examples {

// The BLEU score of translations with one reference each (Papineni et al.,
// 2002): the geometric mean of their precisions in 1- to 4-grams, counted over
// all sentences, times exp(1 - references' length / translations' length) if
// they are shorter. A precision of 0 / n counts as 0.1 / n, but 0 for single
// words makes the score 0. The same as NLTK's corpus_bleu with
// SmoothingFunction().method1. Throws ValueError when the numbers of sentences
// differ.
double corpus_bleu(const std::vector<std::vector<int32_t>>& references,
                   const std::vector<std::vector<int32_t>>& translations);

}  // namespace catena::examples
