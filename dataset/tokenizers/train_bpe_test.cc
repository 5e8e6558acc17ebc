#include "catena/dataset/tokenizers/train_bpe.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/dataset/datasets/shakespeare.h"
#include "catena/dataset/tokenizers/split_pattern.h"
#include "catena/dataset/tokenizers/tokenizer_file.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::testing::HasSubstr;

// The tokens behind those of bytes, by counting all pairs anew each time.
std::vector<std::string> counted_tokens(const std::string& text, int count) {
  std::map<std::string, int> words;
  const WordScanner scanner(SplitPattern::kGpt2);
  for (const char* place = text.data(); *place != '\0';) {
    const char* const end =
        scanner.end_of_word(place, text.data() + text.size());
    ++words[std::string(place, end)];
    place = end;
  }
  std::vector<std::pair<std::vector<int>, int>> split;
  std::vector<std::string> tokens;
  std::map<char, int> ids;
  const Tokenizer bytes = train_bpe("", {.vocabulary = 257});
  for (int id = 0; id < 256; ++id) {
    const int32_t one = id;
    tokens.push_back(bytes.decode({&one, 1}));
    if (tokens.back().size() == 1) ids[tokens.back()[0]] = id;
  }
  for (const auto& [word, times] : words) {
    split.push_back({{}, times});
    for (const char c : word) split.back().first.push_back(ids.at(c));
  }
  while (count-- > 0) {
    std::map<std::pair<int, int>, int> pairs;
    for (const auto& [parts, times] : split) {
      for (size_t i = 0; i + 1 < parts.size(); ++i) {
        pairs[{parts[i], parts[i + 1]}] += times;
      }
    }
    std::pair<int, int> best;
    int most = 0;
    for (const auto& [pair, times] : pairs) {
      if (times > most) {
        best = pair;
        most = times;
      }
    }
    const int id = static_cast<int>(tokens.size());
    tokens.push_back(tokens[static_cast<size_t>(best.first)] +
                     tokens[static_cast<size_t>(best.second)]);
    for (auto& [parts, times] : split) {
      std::vector<int> merged;
      for (size_t i = 0; i < parts.size(); ++i) {
        const bool is_best =
            i + 1 < parts.size() && std::pair(parts[i], parts[i + 1]) == best;
        merged.push_back(is_best ? id : parts[i]);
        if (is_best) ++i;
      }
      parts = merged;
    }
  }
  return {tokens.begin() + 256, tokens.end()};
}

TEST(TrainBpeTest, FindsThePairsThatCountingAllAnewFinds) {
  const std::string text = get_shakespeare_text().substr(0, 30'000);
  const Tokenizer tokenizer = train_bpe(text, {.vocabulary = 257 + 150});
  std::vector<std::string> tokens;
  for (int32_t id = 256; id < 406; ++id) {
    tokens.push_back(tokenizer.decode({&id, 1}));
  }
  EXPECT_EQ(tokens, counted_tokens(text, 150));
  EXPECT_EQ(tokenizer.vocabulary_size(), 407);
  EXPECT_EQ(tokenizer.token(406), "<|endoftext|>");
}

TEST(TrainBpeTest, TakesTheLowestIdsAmongEqualsAndStopsWithoutPairs) {
  // a and b are 64 and 65; both pairs are there twice.
  const Tokenizer tokenizer = train_bpe("ba ba ab ab", {.special_tokens = {}});
  const std::vector<int32_t> ids =
      tokenizer.encode("ab", {.add_special_tokens = false});
  EXPECT_EQ(ids, (std::vector<int32_t>{256}));
  EXPECT_EQ(tokenizer.token(256), "ab");
  EXPECT_LT(tokenizer.vocabulary_size(), 262);
  EXPECT_EQ(train_bpe("ab", {.special_tokens = {}}).vocabulary_size(), 256);
  EXPECT_EQ(
      train_bpe("ab", {.special_tokens = {}, .min_count = 1}).vocabulary_size(),
      257);
}

TEST(TrainBpeTest, CountsRepeatedTokensOnce) {
  const Tokenizer tokenizer =
      train_bpe("aaaaaaaa aaaa", {.special_tokens = {}, .min_count = 1});
  const std::string text = "aaaaaaaaaaaaaaaa aaa";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.token(256), "aa");
  EXPECT_EQ(tokenizer.token(257), "aaaa");
}

TEST(TrainBpeTest, TextsAreCountedTogetherAndNotJoined) {
  const Tokenizer apart = train_bpe(std::vector<std::string>{"xy", "x", "y"},
                                    {.special_tokens = {}});
  EXPECT_EQ(apart.vocabulary_size(), 256);
  const Tokenizer together = train_bpe(std::vector<std::string>{"xy", "xy\xFF"},
                                       {.special_tokens = {}});
  EXPECT_EQ(together.token(256), "xy");
  EXPECT_EQ(together.decode(together.encode("xy\xFF")), "xy\uFFFD");
}

TEST(TrainBpeTest, IsTheSameAfterItWasSaved) {
  const TempFolder folder;
  const std::string text = get_shakespeare_text().substr(0, 100'000);
  const Tokenizer tokenizer = train_bpe(
      text, {.vocabulary = 1000, .special_tokens = {"<|begin|>", "<|end|>"}});
  save_tokenizer(folder.file("tokenizer.json"), tokenizer);
  const Tokenizer again = read_tokenizer(folder.file("tokenizer.json"));
  const std::vector<int32_t> ids = tokenizer.encode(text);
  EXPECT_EQ(again.encode(text), ids);
  EXPECT_EQ(again.decode(ids), text);
  EXPECT_EQ(again.id("<|end|>"), 999);
  EXPECT_EQ(again.added_tokens(), tokenizer.added_tokens());
}

TEST(TrainBpeTest, RefusesWrongOptions) {
  const auto error = [](const TrainBpeOptions& options) {
    return error_of<ValueError>([&] { train_bpe("ab ab", options); });
  };
  EXPECT_THAT(error({.vocabulary = 256}),
              HasSubstr("256 bytes and 1 special tokens to 16777216, got 256"));
  EXPECT_THAT(error({.vocabulary = int64_t{1} << 40}), HasSubstr("got 1099"));
  EXPECT_THAT(error({.min_count = 0}), HasSubstr("min_count >= 1, got 0"));
  EXPECT_THAT(error({.special_tokens = {"ab"}}), HasSubstr("got 'ab'"));
  EXPECT_THAT(error({.special_tokens = {""}}), HasSubstr("not empty"));
  EXPECT_THAT(error({.special_tokens = {"<a>", "<a>"}}), HasSubstr("'<a>'"));
}

}  // namespace
}  // namespace catena::datasets
