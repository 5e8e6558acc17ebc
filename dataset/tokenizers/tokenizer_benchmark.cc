// Encoding and decoding with GPT-2's vocabulary, and training, on one thread.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "catena/array/core/utf32.h"
#include "catena/dataset/datasets/shakespeare.h"
#include "catena/dataset/tokenizers/train_bpe.h"
#include "catena/dataset/tokenizers/vocab_bpe.h"

namespace catena::datasets {
namespace {

// 1.1 MB of plays.
std::string english() { return get_shakespeare_text(); }

// 1 MB of characters as frequent as in the first chapters of the Daodejing, but
// in no order, between punctuation marks: hardly a word comes twice.
std::string chinese() {
  const std::u32string characters =
      U"道可道非常道名可名非常名無名天地之始有名萬物之母故常無欲以觀其妙"
      U"常有欲以觀其徼此兩者同出而異名同謂之玄玄之又玄衆妙之門天下皆知美"
      U"之爲美斯惡已皆知善之爲善斯不善已故有無相生難易相成長短相較高下相"
      U"傾音聲相和前後相隨是以聖人處無爲之事行不言之教萬物作焉而不辭生而"
      U"不有爲而不恃功成而弗居夫唯弗居是以不去";
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 1'000'000) {
    for (uint32_t length = 4 + random() % 12; length > 0; --length) {
      array::append_utf8(characters[random() % characters.size()], text);
    }
    text += random() % 3 == 0 ? "。" : ",";
  }
  return text;
}

void count_bytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(text.size()));
}

void encode(benchmark::State& state, const std::string& text) {
  const Tokenizer tokenizer = gpt2_tokenizer();
  for (auto _ : state) {
    benchmark::DoNotOptimize(tokenizer.encode(text));
  }
  count_bytes(state, text);
}
BENCHMARK_CAPTURE(encode, english, english())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, chinese, chinese())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, one_letter, std::string(1'000'000, 'a'))
    ->Unit(benchmark::kMillisecond);

void encode_short(benchmark::State& state) {
  const Tokenizer tokenizer = gpt2_tokenizer();
  const std::string text = "The quick brown fox jumps over the lazy dog.";
  for (auto _ : state) {
    benchmark::DoNotOptimize(tokenizer.encode(text));
  }
  count_bytes(state, text);
}
BENCHMARK(encode_short);

void decode(benchmark::State& state, const std::string& text) {
  const Tokenizer tokenizer = gpt2_tokenizer();
  const std::vector<int32_t> ids = tokenizer.encode(text);
  for (auto _ : state) {
    benchmark::DoNotOptimize(tokenizer.decode(ids));
  }
  count_bytes(state, text);
}
BENCHMARK_CAPTURE(decode, english, english())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decode, chinese, chinese())->Unit(benchmark::kMillisecond);

// 8,000 merges of 100 MB: plays whose words are followed by numbers, so that
// there are many different words.
void train(benchmark::State& state) {
  const std::string plays = english();
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 100'000'000) {
    for (const char c : plays) {
      text += c;
      if (c == ' ' && random() % 16 == 0) {
        for (uint32_t length = 3 + random() % 6; length > 0; --length) {
          text += static_cast<char>('a' + random() % 26);
        }
      }
    }
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(train_bpe(text, {.vocabulary = 8'257}));
  }
  count_bytes(state, text);
}
BENCHMARK(train)->Unit(benchmark::kSecond)->Iterations(1);

void read_gpt2(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(gpt2_tokenizer());
  }
}
BENCHMARK(read_gpt2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena::datasets
