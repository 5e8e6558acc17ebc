#include "catena/links/model/text_generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/dataset/tokenizers/vocab_bpe.h"
#include "catena/functions/connection/embed_id.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kBegin = "<|im_start|>";
constexpr const char* kEnd = "<|im_end|>";

// All bytes and one merge, "fg"; then special tokens.
datasets::Tokenizer byte_tokenizer(
    const std::vector<std::string>& special_tokens = {kBegin, kEnd}) {
  const TempFolder folder;
  ::catena::testing::write_file(folder.file("vocab.bpe"),
                                "#version: 0.2\nf g\n");
  return datasets::read_vocab_bpe(folder.file("vocab.bpe"),
                                  {.special_tokens = special_tokens});
}

// Each token is followed by a certain one: that of the chain, where the token
// is in it, else the one with the next id.
class ChainModel : public Chain<ChainModel, LanguageModel> {
 public:
  ChainModel(const datasets::Tokenizer& tokenizer,
             const std::vector<std::string>& chain)
      : count_(tokenizer.vocabulary_size()),
        next_(this, "next", table(tokenizer, chain), Shape{count_, count_}),
        unit_(this, "unit", array::identity(count_, Dtype::kFloat32),
              Shape{count_, count_}) {}

  LanguageModelSizes sizes() const override {
    return {.vocabulary = count_,
            .context = 100,
            .layers = 1,
            .kv_heads = 1,
            .head_size = 1};
  }
  Variable features(const Variable& ids,
                    std::span<functions::KeyValueCache> /*caches*/) override {
    const Array seen_now = ids.data().astype(Dtype::kInt32);
    seen.insert(seen.end(), seen_now.data<int32_t>(),
                seen_now.data<int32_t>() + seen_now.size());
    return functions::embed_id(ids, next_);
  }
  const Param& output_weight() const override { return unit_; }

  std::vector<int32_t> seen;  // all ids that it got

 private:
  static Array table(const datasets::Tokenizer& tokenizer,
                     const std::vector<std::string>& chain) {
    const int64_t count = tokenizer.vocabulary_size();
    std::vector<int64_t> next(count);
    for (int64_t i = 0; i < count; ++i) next[i] = (i + 1) % count;
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      next[*tokenizer.id(chain[i])] = *tokenizer.id(chain[i + 1]);
    }
    const Array scores = array::zeros({count, count}, Dtype::kFloat32);
    for (int64_t i = 0; i < count; ++i) {
      scores.data<float>()[i * count + next[i]] = 1;
    }
    return scores;
  }

  int64_t count_;
  Param next_;
  Param unit_;
};

struct Written {
  std::string text;
  std::vector<std::string> parts;
};

Written write(const std::vector<std::string>& chain, const std::string& prompt,
              const GenerateOptions& generating) {
  const datasets::Tokenizer tokenizer = byte_tokenizer();
  ChainModel model(tokenizer, chain);
  Written written;
  const auto on_text = [&](std::string_view part) {
    written.parts.emplace_back(part);
  };
  written.text = generate_text(model, tokenizer, prompt,
                               {.generate = generating, .on_text = on_text});
  return written;
}

TEST(TextGenerationTest, ContinuesAPromptPartByPart) {
  const Written written = write({}, "abc", {.max_tokens = 4});
  EXPECT_EQ(written.text, "defg");
  EXPECT_THAT(written.parts, ElementsAre("d", "e", "f", "g"));
}

TEST(TextGenerationTest, PartsAreWholeCharacters) {
  // A character of two bytes, as GPT-2 writes them in its vocabulary.
  const Written written = write({"a", "Ã", "©", "!"}, "a", {.max_tokens = 3});
  EXPECT_EQ(written.text, "é!");
  EXPECT_THAT(written.parts, ElementsAre("é", "!"));
  // Cut off at the end.
  const Written cut = write({"a", "b", "Ã"}, "a", {.max_tokens = 2});
  EXPECT_EQ(cut.text, "b\xef\xbf\xbd");
  EXPECT_THAT(cut.parts, ElementsAre("b", "\xef\xbf\xbd"));
}

TEST(TextGenerationTest, StopsBeforeATextOfWhichNothingIsPassedOn) {
  const Written written =
      write({}, "abc", {.max_tokens = 10, .stop_texts = {"xyz", "fgh"}});
  EXPECT_EQ(written.text, "de");
  EXPECT_THAT(written.parts, ElementsAre("d", "e"));
  // Without it, all arrives.
  const Written whole =
      write({}, "abc", {.max_tokens = 5, .stop_texts = {"xyz"}});
  EXPECT_EQ(whole.text, "defgh");
  EXPECT_THAT(whole.parts, ElementsAre("d", "e", "fgh"));
}

TEST(TextGenerationTest, StopsAtSequencesAndIds) {
  const datasets::Tokenizer tokenizer = byte_tokenizer();
  const std::vector<int32_t> stop = {*tokenizer.id("f"), *tokenizer.id("g")};
  const Written written =
      write({}, "abc", {.max_tokens = 10, .stop_sequences = {stop}});
  EXPECT_EQ(written.text, "de");
  std::string all;
  for (const std::string& part : written.parts) all += part;
  EXPECT_EQ(all, "de");
  EXPECT_EQ(write({}, "abc", {.max_tokens = 10, .stop_ids = {stop[1]}}).text,
            "def");
}

TEST(TextGenerationTest, TheTextOfBeamsIsOnePart) {
  const Written written = write({}, "abc", {.max_tokens = 3, .beams = 2});
  EXPECT_EQ(written.text, "def");
  EXPECT_THAT(written.parts, ElementsAre("def"));
}

TEST(TextGenerationTest, TheCallersCallbackEndsIt) {
  const datasets::Tokenizer tokenizer = byte_tokenizer();
  const int32_t last = *tokenizer.id("e");
  EXPECT_EQ(
      write({}, "abc", {.on_token = [&](int32_t id) { return id != last; }})
          .text,
      "de");
}

TEST(TextGenerationTest, SpecialTokensInAPromptAreTextUnlessAsked) {
  const datasets::Tokenizer tokenizer = byte_tokenizer();
  ChainModel model(tokenizer, {});
  generate_text(model, tokenizer, kEnd, {.generate = {.max_tokens = 1}});
  EXPECT_GT(model.seen.size(), 1);
  model.seen.clear();
  generate_text(model, tokenizer, kEnd,
                {.generate = {.max_tokens = 1}, .allow_special_tokens = true});
  EXPECT_THAT(model.seen, ElementsAre(*tokenizer.id(kEnd)));
}

TEST(TextGenerationTest, AnAnswerEndsWithItsToken) {
  const datasets::Tokenizer tokenizer = byte_tokenizer();
  // Ċ is the end of the line behind "assistant".
  ChainModel model(tokenizer, {"Ċ", "h", "i", kEnd});
  const std::vector<ChatMessage> messages = {{"user", "a <|im_end|> in it"}};
  EXPECT_EQ(generate_answer(model, tokenizer, "chatml", messages), "hi");
  const auto count = [&](const char* token) {
    return std::count(model.seen.begin(), model.seen.end(),
                      *tokenizer.id(token));
  };
  EXPECT_EQ(count(kBegin), 2);
  EXPECT_EQ(count(kEnd), 1);  // not that of the user
}

TEST(TextGenerationTest, TheFormatIsThatOfTheSpecialTokens) {
  EXPECT_EQ(chat_format_of(byte_tokenizer()), "chatml");
  EXPECT_EQ(chat_format_of(byte_tokenizer({"<start_of_turn>"})), "gemma");
  EXPECT_EQ(chat_format_of(byte_tokenizer({"<|start_header_id|>"})), "llama3");
  EXPECT_THAT(error_of<ValueError>([] { chat_format_of(byte_tokenizer({})); }),
              HasSubstr("special tokens of one of chatml, llama3 and gemma, "
                        "got one with those of 0"));
  EXPECT_THAT(error_of<ValueError>([] {
                chat_format_of(byte_tokenizer({kBegin, "<start_of_turn>"}));
              }),
              HasSubstr("those of 2"));
}

TEST(TextGenerationTest, RefusesWhatDoesNotFit) {
  const datasets::Tokenizer tokenizer = byte_tokenizer();
  const datasets::Tokenizer small = byte_tokenizer({});
  ChainModel model(small, {});
  EXPECT_THAT(
      error_of<ValueError>([&] { generate_text(model, tokenizer, "a"); }),
      HasSubstr("expected a tokenizer of at most 257 tokens, as the model has, "
                "got 259"));
  EXPECT_THAT(error_of<ValueError>([&] {
                generate_answer(model, small, "chatml",
                                std::vector<ChatMessage>{{"user", "a"}});
              }),
              HasSubstr("expected a tokenizer with <|im_start|> for the format "
                        "chatml"));
  const auto decode = [](int32_t) { return std::string(); };
  EXPECT_THAT(error_of<ValueError>([&] {
                generate_text(model, small, "a",
                              {.generate = {.decode = decode}});
              }),
              HasSubstr("expected no decode"));
}

}  // namespace
}  // namespace catena::links
