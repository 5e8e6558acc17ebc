#include "catena/dataset/tokenizers/tokenizer.h"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/dataset/datasets/shakespeare.h"
#include "catena/dataset/tokenizers/tokenizer_file.h"
#include "catena/dataset/tokenizers/vocab_bpe.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/error_of.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using TokenIds = std::vector<int32_t>;

const Tokenizer& gpt2() {
  static const Tokenizer tokenizer = gpt2_tokenizer();
  return tokenizer;
}

Tokenizer family(const std::string& name) {
  return read_tokenizer(
      testing::runfile("tests/golden/tokenizers/" + name + ".tokenizer.json"));
}

TEST(TokenizerTest, KnowsItsTokens) {
  EXPECT_EQ(gpt2().vocabulary_size(), 50257);
  EXPECT_EQ(gpt2().token(995), "Ġworld");
  EXPECT_EQ(gpt2().id("Ġworld"), 995);
  EXPECT_EQ(gpt2().id(" world"), std::nullopt);
  EXPECT_EQ(gpt2().id("<|endoftext|>"), 50256);
  EXPECT_TRUE(gpt2().is_special(50256));
  EXPECT_FALSE(gpt2().is_special(995));
  EXPECT_FALSE(gpt2().is_special(-1));
  ASSERT_THAT(gpt2().added_tokens(), SizeIs(1));
  EXPECT_EQ(gpt2().added_tokens()[0].content, "<|endoftext|>");
}

TEST(TokenizerTest, NamesIdsWithoutATokenAndThereIsNoText) {
  const auto decode = [](int32_t id) {
    return error_of<IndexError>([&] { gpt2().decode(TokenIds{1, id}); });
  };
  EXPECT_THAT(decode(50257), HasSubstr("decode: expected the id of a token, "
                                       "below 50257, got 50257"));
  EXPECT_THAT(decode(-1), HasSubstr("got -1"));
  EXPECT_THAT(error_of<IndexError>([] { gpt2().token(50257); }),
              HasSubstr("token: expected the id of a token"));
  StreamDecoder stream(gpt2());
  EXPECT_THAT(error_of<IndexError>([&] { stream.add(50257); }),
              HasSubstr("got 50257"));
}

// tiktoken 1.0.22 has these runs for 20,000 bytes; it takes n^2.
TEST(TokenizerTest, AMegabyteOfOneCharacterIsOneWord) {
  const auto expect_all = [](const std::string& text, int32_t id,
                             size_t count) {
    const TokenIds ids = gpt2().encode(text);
    EXPECT_THAT(ids, SizeIs(count));
    EXPECT_THAT(ids, Each(id));
    EXPECT_EQ(gpt2().decode(ids), text);
  };
  expect_all(std::string(1'000'000, 'a'), 24794, 250'000);
  expect_all(std::string(1'000'000, ' '), 220, 1'000'000);
  expect_all(std::string(1'000'000, '1'), 26259, 250'000);
  expect_all(std::string(1'000'000, '\n'), 628, 500'000);
  std::string middle;
  for (int i = 0; i < 300'000; ++i) middle += "\u4E2D";
  expect_all(middle, 40792, 300'000);
}

TEST(TokenizerTest, BytesThatAreNoUtf8CountAsReplacementCharacters) {
  for (const std::string text : {"a\xFFz", "\xE4\xBD", "\xF0\x9F\x98 x\x80"}) {
    const TokenIds ids = gpt2().encode(text);
    const std::string decoded = gpt2().decode(ids);
    EXPECT_EQ(gpt2().encode(decoded), ids);
    EXPECT_THAT(decoded, HasSubstr("\uFFFD"));
  }
  EXPECT_EQ(gpt2().encode("a\xFFz"), gpt2().encode("a\uFFFDz"));
}

TEST(TokenizerTest, AStreamKeepsUnfinishedCharacters) {
  const TokenIds ids = gpt2().encode("\U0001F600!");
  ASSERT_THAT(ids, SizeIs(3));
  StreamDecoder stream(gpt2());
  EXPECT_EQ(stream.add(ids[0]), "");
  EXPECT_EQ(stream.add(ids[1]), "\U0001F600");
  EXPECT_EQ(stream.add(ids[2]), "!");
  EXPECT_EQ(stream.add(ids[0]), "");
  EXPECT_EQ(stream.finish(), "\uFFFD");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(gpt2().decode(TokenIds{ids[0]}), "\uFFFD");
  // Byte tokens are replaced one by one, as by the model's own decoder.
  const Tokenizer llama = family("llama2");
  const TokenIds bytes = {*llama.id("<0xE4>"), *llama.id("<0xBD>"),
                          *llama.id("a")};
  EXPECT_EQ(llama.decode(bytes), "\uFFFD\uFFFDa");
  StreamDecoder other(llama);
  EXPECT_EQ(other.add(bytes[0]), "");
  EXPECT_EQ(other.add(bytes[1]), "");
  EXPECT_EQ(other.add(bytes[2]), "\uFFFD\uFFFDa");
  // What follows the first token keeps its blank.
  const TokenIds words = llama.encode("the the");
  StreamDecoder blanks(llama);
  std::string text;
  for (const int32_t id : words) text += blanks.add(id);
  EXPECT_EQ(text, "the the");
}

TEST(TokenizerTest, PutsTokensAroundOneTextOrTwo) {
  const Tokenizer bert = family("bert_uncased");
  const auto texts = [&](const TokenIds& ids) {
    return bert.decode(ids, {.skip_special_tokens = false});
  };
  EXPECT_EQ(texts(bert.encode("The fox")), "[CLS] the fox [SEP]");
  EXPECT_EQ(texts(bert.encode("The fox", {.add_special_tokens = false})),
            "the fox");
  EXPECT_EQ(bert.decode(bert.encode("The fox")), "the fox");
  const EncodedPair pair = bert.encode_pair("the", "fox fox");
  EXPECT_EQ(texts(pair.ids), "[CLS] the [SEP] fox fox [SEP]");
  EXPECT_THAT(pair.types, ElementsAre(0, 0, 0, 1, 1, 1));
  const EncodedPair plain =
      bert.encode_pair("the", "fox", {.add_special_tokens = false});
  EXPECT_THAT(plain.types, ElementsAre(0, 1));
  const Tokenizer roberta = family("roberta");
  EXPECT_EQ(roberta.decode(roberta.encode_pair("a", "b").ids,
                           {.skip_special_tokens = false}),
            "<s> a</s></s> b</s>");
}

TEST(TokenizerTest, AddedTokensTakeTheSpacesThatTheyStrip) {
  const Tokenizer roberta = family("roberta");  // <mask> strips to its left
  const TokenIds ids = roberta.encode(
      "a \t <mask> b",
      {.allow_special_tokens = true, .add_special_tokens = false});
  EXPECT_EQ(roberta.decode(ids, {.skip_special_tokens = false}), " a<mask> b");
}

TEST(TokenizerTest, ServesManyThreadsAtOnce) {
  const std::string text = get_shakespeare_text().substr(0, 50'000);
  const TokenIds expected = gpt2().encode(text);
  std::vector<TokenIds> found(4);
  std::vector<std::string> decoded(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      found[i] = gpt2().encode(text);
      decoded[i] = gpt2().decode(found[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, Each(expected));
  EXPECT_THAT(decoded, Each(text));
}

}  // namespace
}  // namespace catena::datasets
