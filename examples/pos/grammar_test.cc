#include "catena/examples/pos/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace catena::examples {
namespace {

using ::testing::IsSupersetOf;

TEST(GrammarTest, SentencesAreTheSameForASeed) {
  const auto words_of = [](uint64_t seed) {
    std::vector<std::vector<std::string>> words;
    for (const auto& sentence : make_tagged_sentences(50, seed)) {
      words.push_back(sentence.words);
    }
    return words;
  };
  EXPECT_EQ(words_of(1), words_of(1));
  EXPECT_NE(words_of(1), words_of(2));
}

TEST(GrammarTest, SentencesEndAndAreOfReadableLength) {
  size_t words = 0;
  for (const TaggedSentence& sentence : make_tagged_sentences(5000, 0)) {
    ASSERT_EQ(sentence.words.size(), sentence.tags.size());
    EXPECT_EQ(sentence.words.back(), ".");
    EXPECT_LT(sentence.words.size(), 100u);
    words += sentence.words.size();
  }
  EXPECT_GT(words, 5000u * 6);
  EXPECT_LT(words, 5000u * 15);
}

TEST(GrammarTest, WordsHaveSeveralTags) {
  std::map<std::string, std::map<std::string, int>> counts;
  double words = 0;
  for (const auto& [names, tags] : make_tagged_sentences(5000, 0)) {
    for (size_t i = 0; i < names.size(); ++i) ++counts[names[i]][tags[i]];
    words += static_cast<double>(names.size());
  }
  const auto tags_of = [&](const std::string& word) {
    std::set<std::string> tags;
    for (const auto& [tag, count] : counts.at(word)) tags.insert(tag);
    return tags;
  };
  EXPECT_THAT(tags_of("can"), IsSupersetOf({"md", "nn"}));
  EXPECT_THAT(tags_of("run"), IsSupersetOf({"nn", "vb"}));
  EXPECT_THAT(tags_of("watch"), IsSupersetOf({"nn", "vb"}));
  EXPECT_THAT(tags_of("saw"), IsSupersetOf({"nn", "vb", "vbd"}));
  EXPECT_THAT(tags_of("that"), IsSupersetOf({"cs", "dt", "wps"}));
  EXPECT_THAT(tags_of("her"), IsSupersetOf({"pp$", "ppo"}));
  EXPECT_THAT(tags_of("to"), IsSupersetOf({"in", "to"}));

  // So no tagger that looks at single words can be right everywhere.
  double right = 0;
  for (const auto& [word, tags] : counts) {
    int most = 0;
    for (const auto& [tag, count] : tags) most = std::max(most, count);
    right += most;
  }
  EXPECT_LT(right / words, 0.85);
}

}  // namespace
}  // namespace catena::examples
