#include "catena/examples/seq2seq/bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using Sentence = std::vector<int32_t>;

double bleu(const Sentence& reference, const Sentence& translation) {
  return corpus_bleu({reference}, {translation});
}

// The geometric mean of four precisions.
double mean(double p1, double p2, double p3, double p4) {
  return std::pow(p1 * p2 * p3 * p4, 0.25);
}

TEST(BleuTest, AnExactTranslationScoresOne) {
  EXPECT_DOUBLE_EQ(bleu({5, 6, 7, 8, 5}, {5, 6, 7, 8, 5}), 1);
}

// NLTK's documentation: "It is a guide to action which ensures that the
// military always obeys the commands of the party" scores 0.4118 against "It is
// a guide to action that ensures that the military will forever heed Party
// commands".
TEST(BleuTest, AgreesWithNLTKsDocumentation) {
  const Sentence reference{1, 2,  3,  4,  5,  6,  8,  9,
                           8, 10, 11, 18, 19, 20, 21, 14};
  const Sentence translation{1,  2,  3,  4,  5,  6,  7,  9,  8,
                             10, 11, 12, 13, 10, 14, 15, 10, 16};
  EXPECT_NEAR(bleu(reference, translation), 0.4118, 5e-5);
}

TEST(BleuTest, CountsWordsOnlyAsOftenAsTheReferenceHasThem) {
  EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4, 1, 2}, {1, 2, 1, 2, 1, 2}),
                   mean(4 / 6., 2 / 5., 0.1 / 4, 0.1 / 3));
}

TEST(BleuTest, APrecisionOfZeroIsSmoothedExceptForWords) {
  EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4, 5}, {1, 9, 3, 9, 5}),
                   mean(3 / 5., 0.1 / 4, 0.1 / 3, 0.1 / 2));
  EXPECT_EQ(bleu({1, 2, 3, 4, 5}, {6, 7, 8, 9, 6}), 0);
}

// brevity_penalty of NLTK's documentation, for 28 and 12 words.
TEST(BleuTest, ShortTranslationsArePenalizedAndLongOnesAreNot) {
  EXPECT_NEAR(bleu(Sentence(28, 1), Sentence(12, 1)), 0.2635971381157267,
              1e-12);
  EXPECT_DOUBLE_EQ(bleu({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, 7}),
                   mean(5 / 7., 4 / 6., 3 / 5., 2 / 4.));
}

// Sentences are counted together: not the mean of two scores. A sentence of two
// words has no 3-grams, but counts as if it had one that is wrong.
TEST(BleuTest, CountsOverAllSentences) {
  EXPECT_DOUBLE_EQ(
      corpus_bleu({{1, 2, 3, 4, 5, 6}, {7, 8}}, {{1, 2, 3, 4, 6, 5}, {7, 8}}),
      mean(8 / 8., 4 / 6., 2 / 5., 1 / 4.));
}

TEST(BleuTest, EmptyTranslationsScoreZero) {
  EXPECT_EQ(bleu({1, 2}, {}), 0);
  EXPECT_EQ(corpus_bleu({}, {}), 0);
}

TEST(BleuTest, EachTranslationNeedsAReference) {
  EXPECT_THAT(error_of<ValueError>([] {
                corpus_bleu({{1}}, {{1}, {2}});
              }),
              HasSubstr("got 1 for 2"));
}

}  // namespace
}  // namespace catena::examples
