#include "catena/dataset/tokenizers/train_bpe.h"

#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <queue>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/dataset/tokenizers/byte_alphabet.h"
#include "catena/dataset/tokenizers/byte_level_definition.h"
#include "catena/dataset/tokenizers/split_pattern.h"
#include "catena/dataset/tokenizers/tokenizer_parts.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

constexpr int64_t kBytes = 256;
constexpr int64_t kMaxVocabulary = 1 << 24;

void check_options(const TrainBpeOptions& options) {
  const int64_t special = std::ssize(options.special_tokens);
  if (options.vocabulary < kBytes + special ||
      options.vocabulary > kMaxVocabulary) {
    raise<ValueError>("train_bpe: expected a vocabulary from ", kBytes,
                      " bytes and ", special, " special tokens to ",
                      kMaxVocabulary, ", got ", options.vocabulary);
  }
  if (options.min_count < 1) {
    raise<ValueError>("train_bpe: expected min_count >= 1, got ",
                      options.min_count);
  }
}

// A word of the texts as the tokens that it consists of now.
struct Word {
  std::vector<int32_t> tokens;
  int64_t count;
};

std::vector<Word> words_of(std::span<const std::string_view> texts) {
  // Texts that are no UTF-8, made valid.
  std::deque<std::string> valid;
  absl::flat_hash_map<std::string_view, int64_t> counts;
  const WordScanner scanner(SplitPattern::kGpt2);
  for (std::string_view text : texts) {
    if (valid_utf8_size(text) < text.size()) {
      append_valid_utf8(text, valid.emplace_back());
      text = valid.back();
    }
    const char* const end = text.data() + text.size();
    for (const char* begin = text.data(); begin < end;) {
      const char* const end_of_word = scanner.end_of_word(begin, end);
      ++counts[{begin, static_cast<size_t>(end_of_word - begin)}];
      begin = end_of_word;
    }
  }
  // In an order that does not depend on the table's.
  std::vector<std::pair<std::string_view, int64_t>> sorted(counts.begin(),
                                                           counts.end());
  std::sort(sorted.begin(), sorted.end());
  std::array<int32_t, kBytes> ids;
  for (int place = 0; place < kBytes; ++place) {
    ids[byte_of_gpt2(place)] = place;
  }
  std::vector<Word> words;
  for (const auto& [word, count] : sorted) {
    Word& added = words.emplace_back();
    added.count = count;
    for (const char c : word) {
      added.tokens.push_back(ids[static_cast<unsigned char>(c)]);
    }
  }
  return words;
}

// Two tokens beside each other, comparable.
using Pair = uint64_t;
Pair pair_of(int32_t left, int32_t right) {
  return static_cast<Pair>(left) << 32 | static_cast<uint32_t>(right);
}

// Counts the pairs of all words and merges them.
class Trainer {
 public:
  explicit Trainer(std::vector<Word> words) : words_(std::move(words)) {
    for (int place = 0; place < kBytes; ++place) {
      const char byte = static_cast<char>(byte_of_gpt2(place));
      tokens_.emplace_back(1, byte);
      ids_[tokens_.back()] = place;
    }
    for (size_t i = 0; i < words_.size(); ++i) add_pairs(i, +1);
    queue_changes();
  }

  void merge(int64_t vocabulary, int64_t min_count) {
    while (std::ssize(tokens_) < vocabulary && !queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      // A pair may have become rarer since it was queued.
      const int64_t count = pairs_[best.pair].count;
      if (count < best.count) {
        if (count > 0) queue_.push({count, best.pair});
        continue;
      }
      if (count < min_count) return;
      merge(best.pair);
    }
  }

  // In the byte alphabet.
  std::vector<std::pair<std::string, std::string>> merges() const {
    std::vector<std::pair<std::string, std::string>> result;
    for (const Pair pair : merges_) {
      result.emplace_back(
          to_byte_alphabet(tokens_[static_cast<size_t>(pair >> 32)]),
          to_byte_alphabet(tokens_[static_cast<size_t>(pair & UINT32_MAX)]));
    }
    return result;
  }

 private:
  struct PairState {
    int64_t count = 0;
    std::vector<uint32_t> words;  // where it was at some time
    uint32_t last_word = UINT32_MAX;
  };
  struct Candidate {
    int64_t count;
    Pair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void add_pairs(size_t place, int64_t sign) {
    const Word& word = words_[place];
    for (size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      const Pair pair = pair_of(word.tokens[i], word.tokens[i + 1]);
      PairState& state = pairs_[pair];
      state.count += sign * word.count;
      if (sign < 0) continue;
      if (std::exchange(state.last_word, static_cast<uint32_t>(place)) !=
          place) {
        state.words.push_back(static_cast<uint32_t>(place));
        changed_.push_back(pair);
      }
    }
  }

  // Queues the pairs that may have become more frequent.
  void queue_changes() {
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()),
                   changed_.end());
    for (const Pair pair : changed_) {
      PairState& state = pairs_[pair];
      state.last_word = UINT32_MAX;
      if (state.count > 0) queue_.push({state.count, pair});
    }
    changed_.clear();
  }

  void merge(Pair pair) {
    const auto left = static_cast<int32_t>(pair >> 32);
    const auto right = static_cast<int32_t>(pair & UINT32_MAX);
    std::string whole = tokens_[static_cast<size_t>(left)] +
                        tokens_[static_cast<size_t>(right)];
    // Two pairs may make the same token.
    const auto [known, is_new] =
        ids_.try_emplace(whole, static_cast<int32_t>(tokens_.size()));
    const int32_t id = known->second;
    if (is_new) tokens_.push_back(std::move(whole));
    merges_.push_back(pair);
    const std::vector<uint32_t> places = std::move(pairs_[pair].words);
    for (const uint32_t place : places) {
      std::vector<int32_t>& tokens = words_[place].tokens;
      if (!has_pair(tokens, left, right)) continue;  // merged otherwise since
      add_pairs(place, -1);
      size_t size = 0;
      for (size_t i = 0; i < tokens.size(); ++i) {
        const bool is_pair = i + 1 < tokens.size() && tokens[i] == left &&
                             tokens[i + 1] == right;
        tokens[size++] = is_pair ? id : tokens[i];
        i += is_pair ? 1 : 0;
      }
      tokens.resize(size);
      add_pairs(place, +1);
    }
    queue_changes();
  }

  static bool has_pair(const std::vector<int32_t>& tokens, int32_t left,
                       int32_t right) {
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i] == left && tokens[i + 1] == right) return true;
    }
    return false;
  }

  std::vector<Word> words_;
  std::vector<std::string> tokens_;
  absl::flat_hash_map<std::string, int32_t> ids_;
  absl::flat_hash_map<Pair, PairState> pairs_;
  std::vector<Pair> changed_;
  std::priority_queue<Candidate> queue_;
  std::vector<Pair> merges_;
};

Tokenizer train(std::span<const std::string_view> texts,
                const TrainBpeOptions& options) {
  check_options(options);
  Trainer trainer(words_of(texts));
  trainer.merge(options.vocabulary - std::ssize(options.special_tokens),
                options.min_count);
  return Tokenizer(
      make_tokenizer_parts(byte_level_definition("train_bpe", trainer.merges(),
                                                 options.special_tokens),
                           "train_bpe"));
}

}  // namespace

Tokenizer train_bpe(const std::vector<std::string>& texts,
                    const TrainBpeOptions& options) try {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return train(views, options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("train_bpe");
}

Tokenizer train_bpe(std::string_view text, const TrainBpeOptions& options) try {
  return train({&text, 1}, options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("train_bpe");
}

}  // namespace catena::datasets
