#include "catena/dataset/tokenizers/pre_tokenizers.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "catena/dataset/tokenizers/normalizers.h"

namespace catena::datasets {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> words_by(const PreTokenizer& splits,
                                  std::string_view text, bool is_first = true) {
  std::vector<std::string> words;
  splits(text, is_first,
         [&](std::string_view word, bool) { words.emplace_back(word); });
  return words;
}

TEST(PreTokenizersTest, SplitAtATextInEachBehavior) {
  const auto split = [](SplitBehavior behavior, bool inverts = false) {
    return words_by(splitting_at_text("-", behavior, inverts), "a-b--c-");
  };
  EXPECT_THAT(split(SplitBehavior::kRemoved), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split(SplitBehavior::kIsolated),
              ElementsAre("a", "-", "b", "-", "-", "c", "-"));
  EXPECT_THAT(split(SplitBehavior::kMergedWithPrevious),
              ElementsAre("a-", "b-", "-", "c-"));
  EXPECT_THAT(split(SplitBehavior::kMergedWithNext),
              ElementsAre("a", "-b", "-", "-c", "-"));
  EXPECT_THAT(split(SplitBehavior::kContiguous),
              ElementsAre("a", "-", "b", "--", "c", "-"));
  EXPECT_THAT(split(SplitBehavior::kRemoved, /*inverts=*/true),
              ElementsAre("-", "-", "-", "-"));
}

TEST(PreTokenizersTest, SplitAtCharactersOfAllScripts) {
  EXPECT_THAT(words_by(splitting_at_digits(true), "a12\u0663\u00BDb"),
              ElementsAre("a", "1", "2", "\u0663", "\u00BD", "b"));
  EXPECT_THAT(words_by(splitting_at_digits(false), "a12\u0663\u00BDb"),
              ElementsAre("a", "12\u0663\u00BD", "b"));
  EXPECT_THAT(words_by(splitting_words(), "na\u00EFve, e\u0301-_1! \u3000?"),
              ElementsAre("na\u00EFve", ",", "e\u0301", "-", "_1", "!", "?"));
  EXPECT_THAT(words_by(splitting_at_spaces(), " a,b\u3000 c\u0085"),
              ElementsAre("a,b", "c"));
  EXPECT_THAT(words_by(bert_pre_tokenizer(), "a+b \u2014c$\u20AC"),
              ElementsAre("a", "+", "b", "\u2014", "c", "$", "\u20AC"));
  EXPECT_THAT(
      words_by(splitting_at_punctuation(SplitBehavior::kContiguous), "a!?b"),
      ElementsAre("a", "!?", "b"));
}

TEST(PreTokenizersTest, MetaspacePrependsWhereItsSchemeSays) {
  const auto split = [](PrependScheme scheme, std::string_view text,
                        bool is_first = true) {
    return words_by(metaspace_pre_tokenizer("_", scheme, /*splits=*/true), text,
                    is_first);
  };
  EXPECT_THAT(split(PrependScheme::kAlways, "a  b", false),
              ElementsAre("_a", "_", "_b"));
  EXPECT_THAT(split(PrependScheme::kFirst, "a b"), ElementsAre("_a", "_b"));
  EXPECT_THAT(split(PrependScheme::kFirst, "a b", false),
              ElementsAre("a", "_b"));
  EXPECT_THAT(split(PrependScheme::kNever, "a b"), ElementsAre("a", "_b"));
  EXPECT_THAT(split(PrependScheme::kAlways, " a"), ElementsAre("_a"));
}

TEST(PreTokenizersTest, ALaterSplitSeesThePartsOfAnEarlier) {
  const PreTokenizer splits =
      all_pre_tokenizers({splitting_at_digits(true), prepending_blank(),
                          splitting_by_pattern(SplitPattern::kGpt2)});
  // Spaces at the end of a part stay together.
  EXPECT_THAT(words_by(splits, "a  1b"), ElementsAre(" a", "  ", " 1", " b"));
}

TEST(PreTokenizersTest, ALongSIsAnSInAnotherCase) {
  EXPECT_THAT(words_by(splitting_by_pattern(SplitPattern::kLlama3),
                       "it'\u017F I'LL \u0085x"),
              ElementsAre("it", "'\u017F", " I", "'LL", " ", "\u0085x"));
  EXPECT_THAT(
      words_by(splitting_by_pattern(SplitPattern::kGpt2), "it'\u017F I'LL"),
      ElementsAre("it", "'", "\u017F", " I", "'", "LL"));
}

TEST(NormalizersTest, BertCleansWhatOthersKeep) {
  std::string text =
      "\v\uFEFF"
      "A\u0301\u4F60\tb\u00A0\uFFFD\u0085";
  bert_normalizer({})(text);
  EXPECT_EQ(text, "a \u4F60  b ");
  std::string spaces = "\u3000 a \n";
  stripping_spaces(true, false)(spaces);
  EXPECT_EQ(spaces, "a \n");
  stripping_spaces(false, true)(spaces);
  EXPECT_EQ(spaces, "a");
}

}  // namespace
}  // namespace catena::datasets
