#include "catena/examples/sentiment/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "catena/examples/sentiment/treebank.h"

namespace catena::examples {
namespace {

using ::testing::Each;
using ::testing::Gt;

TEST(ReviewsTest, AreTheSameForASeedAndAllDifferent) {
  const auto reviews = make_reviews(500, 1);
  EXPECT_EQ(make_reviews(500, 1), reviews);
  EXPECT_NE(make_reviews(500, 2), reviews);
  EXPECT_EQ(std::set(reviews.begin(), reviews.end()).size(), 500u);
}

TEST(ReviewsTest, LabelsFollowFromTheParts) {
  Vocabulary vocabulary;
  std::map<std::string, int> seen;
  for (const std::string& line : make_reviews(1000, 0)) {
    const Tree tree = parse_tree(line, kReviewLabels, vocabulary);
    for (size_t i = 0; i < tree.words.size(); ++i) {
      if (tree.words[i] >= 0) continue;
      const int label = tree.labels[i];
      const int left = tree.labels[tree.left[i]];
      const int right = tree.labels[tree.right[i]];
      const int word = tree.words[tree.left[i]];
      const auto is = [&](const char* name) {
        return word >= 0 && word == vocabulary.at(name) && ++seen[name] > 0;
      };
      if (vocabulary.contains("not") && is("not")) {
        EXPECT_EQ(label, (std::array{3, 3, 2, 1, 1})[right]) << line;
      }
      if (vocabulary.contains("very") && is("very")) {
        EXPECT_EQ(label, (std::array{0, 0, 2, 4, 4})[right]) << line;
      }
      if (vocabulary.contains("but") && is("but")) {
        EXPECT_EQ(label, right) << line;
      }
      if (word < 0) {  // of a whole sentence or of "the film" and a verb
        EXPECT_GE(label, std::min({left, right, 2})) << line;
        EXPECT_LE(label, std::max({left, right, 2})) << line;
      }
    }
  }
  EXPECT_GT(seen["not"], 100);
  EXPECT_GT(seen["very"], 100);
  EXPECT_GT(seen["but"], 100);
}

TEST(ReviewsTest, HaveAllLabels) {
  Vocabulary vocabulary;
  std::array<int, kReviewLabels> counts = {};
  for (const std::string& line : make_reviews(1000, 0)) {
    ++counts[parse_tree(line, kReviewLabels, vocabulary).labels.back()];
  }
  EXPECT_THAT(counts, Each(Gt(50)));
}

// Even among so few there are some with the same words, in another order, and
// another label.
TEST(ReviewsTest, WordsAloneDoNotSayTheLabel) {
  Vocabulary vocabulary;
  std::map<std::vector<int32_t>, std::set<int>> labels;
  for (const std::string& line : make_reviews(10'000, 0)) {
    const Tree tree = parse_tree(line, kReviewLabels, vocabulary);
    std::vector<int32_t> words = tree.words;
    std::sort(words.begin(), words.end());
    labels[words].insert(tree.labels.back());
  }
  EXPECT_GT(
      std::count_if(labels.begin(), labels.end(),
                    [](const auto& entry) { return entry.second.size() > 1; }),
      5);
}

}  // namespace
}  // namespace catena::examples
