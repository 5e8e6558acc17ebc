#include "catena/dataset/tokenizers/bpe_model.h"

#include <algorithm>
#include <bit>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

constexpr uint64_t kNever = UINT64_MAX;
// Places in a word have 32 bits.
constexpr size_t kMaxWord = size_t{1} << 31;

// A tournament of the places of a word by rank, then by place: a heap whose
// leaves stay where they are.
class Tournament {
 public:
  // Has `count` places; all ranks are still to be set in the leaves.
  Tournament(std::vector<uint64_t>& tree, size_t count)
      : tree_(tree), leaves_(std::bit_ceil(count)) {
    tree_.assign(2 * leaves_, kNever);
  }

  uint64_t& leaf(size_t place) { return tree_[leaves_ + place]; }
  void build() {
    for (size_t node = leaves_ - 1; node > 0; --node) play(node);
  }
  void set(size_t place, uint64_t value) {
    leaf(place) = value;
    for (size_t node = (leaves_ + place) / 2; node > 0; node /= 2) {
      if (!play(node)) return;
    }
  }
  uint64_t first() const { return tree_[1]; }

 private:
  // Returns whether the winner changed.
  bool play(size_t node) {
    const uint64_t winner = std::min(tree_[2 * node], tree_[2 * node + 1]);
    if (tree_[node] == winner) return false;
    tree_[node] = winner;
    return true;
  }

  std::vector<uint64_t>& tree_;
  size_t leaves_;
};

}  // namespace

BpeModel::BpeModel(std::span<const TokenBytes> tokens,
                   std::span<const TokenMerge> merges,
                   const BpeModelOptions& options)
    : tokens_(tokens),
      options_(options),
      bits_(std::bit_width(merges.size() * 3 / 2 + 1)),
      mask_((size_t{1} << bits_) - 1),
      pairs_(mask_ + 1, kNoPair),
      ranks_(mask_ + 1, kNoRank) {
  for (size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const TokenTable::Row* const row = tokens_.find({&c, 1});
    byte_ids_[byte] = row == nullptr ? -1 : row->id;
  }
  for (const TokenMerge& merge : merges) {
    const uint64_t symbols = key_of_pair(merge.left, merge.right);
    size_t place = place_of_pair(symbols);
    while (pairs_[place] != kNoPair && pairs_[place] != symbols) {
      place = (place + 1) & mask_;
    }
    pairs_[place] = symbols;
    ranks_[place] = static_cast<uint32_t>(wholes_.size());
    wholes_.push_back(merge.whole);
  }
  if (options_.is_of_bytes) {
    for (const int32_t left : byte_ids_) {
      for (const int32_t right : byte_ids_) {
        byte_ranks_.push_back(
            left < 0 || right < 0 ? kNoRank : rank_of_pair(left, right));
      }
    }
  }
  // Words that are tokens need no merges, if these lead there.
  EncodeScratch scratch(0);
  std::vector<int32_t> ids;
  for (const TokenBytes& token : tokens) {
    bool is_whole = options_.ignores_merges;
    if (!is_whole && valid_utf8_size(token.bytes) == token.bytes.size()) {
      ids.clear();
      scratch.symbols.clear();
      if (append_symbols(token.bytes, scratch.symbols).empty()) {
        append_merged(token.bytes, scratch, ids);
      }
      is_whole = ids.size() == 1 && ids[0] == token.id;
    }
    tokens_.set_whole(token.bytes, is_whole);
  }
}

uint32_t BpeModel::rank_of_pair(int32_t left, int32_t right) const {
  const uint64_t symbols = key_of_pair(left, right);
  for (size_t place = place_of_pair(symbols);; place = (place + 1) & mask_) {
    if (pairs_[place] == symbols) return ranks_[place];
    if (pairs_[place] == kNoPair) return kNoRank;
  }
}

bool BpeModel::append_unknown(std::string_view character,
                              std::vector<int32_t>& to) const {
  if (options_.byte_fallback) {
    for (const char c : character) {
      to.push_back((*options_.byte_fallback)[static_cast<unsigned char>(c)]);
    }
    return true;
  }
  if (!options_.unknown) return false;
  if (!options_.fuses_unknown || to.empty() || to.back() != *options_.unknown) {
    to.push_back(*options_.unknown);
  }
  return true;
}

std::string_view BpeModel::append_symbols(std::string_view word,
                                          std::vector<int32_t>& to) const {
  if (options_.is_of_bytes) {
    for (size_t i = 0; i < word.size(); ++i) {
      const int32_t id = byte_ids_[static_cast<unsigned char>(word[i])];
      if (id >= 0) {
        to.push_back(id);
      } else if (!append_unknown(word.substr(i, 1), to)) {
        return word.substr(i, 1);
      }
    }
    return {};
  }
  while (!word.empty()) {
    const std::string_view character = word.substr(
        0, static_cast<size_t>(first_character(word.data()).length));
    if (const TokenTable::Row* const row = tokens_.find(character)) {
      to.push_back(row->id);
    } else if (!append_unknown(character, to)) {
      return character;
    }
    word.remove_prefix(character.size());
  }
  return {};
}

void BpeModel::append_merged(std::string_view word, EncodeScratch& scratch,
                             std::vector<int32_t>& ids) const {
  std::vector<int32_t>& symbols = scratch.symbols;
  const size_t count = symbols.size();
  if (count < 2) {
    ids.insert(ids.end(), symbols.begin(), symbols.end());
    return;
  }
  const auto entry = [](uint32_t rank, size_t place) {
    return rank == kNoRank ? kNever : uint64_t{rank} << 32 | place;
  };
  const auto entry_at = [&](size_t place, size_t next) {
    return entry(rank_of_pair(symbols[place], symbols[next]), place);
  };
  scratch.next.resize(count);
  scratch.previous.resize(count);
  Tournament tournament(scratch.tree, count);
  for (size_t i = 0; i < count; ++i) {
    scratch.next[i] = static_cast<uint32_t>(i + 1);
    scratch.previous[i] = static_cast<uint32_t>(i - 1);
  }
  // Each byte is a symbol, unless some are unknown.
  if (options_.is_of_bytes && count == word.size()) {
    for (size_t i = 0; i + 1 < count; ++i) {
      const auto left = static_cast<unsigned char>(word[i]);
      const auto right = static_cast<unsigned char>(word[i + 1]);
      tournament.leaf(i) = entry(byte_ranks_[size_t{left} * 256 + right], i);
    }
  } else {
    for (size_t i = 0; i + 1 < count; ++i) {
      tournament.leaf(i) = entry_at(i, i + 1);
    }
  }
  tournament.build();
  for (;;) {
    const uint64_t first = tournament.first();
    if (first == kNever) break;
    const auto place = static_cast<size_t>(first & UINT32_MAX);
    const size_t gone = scratch.next[place];
    const size_t after = scratch.next[gone];
    symbols[place] = wholes_[first >> 32];
    scratch.next[place] = static_cast<uint32_t>(after);
    tournament.set(gone, kNever);
    if (after < count) {
      scratch.previous[after] = static_cast<uint32_t>(place);
      tournament.set(place, entry_at(place, after));
    } else {
      tournament.set(place, kNever);
    }
    if (place > 0) {
      const size_t before = scratch.previous[place];
      tournament.set(before, entry_at(before, place));
    }
  }
  for (size_t i = 0; i < count; i = scratch.next[i]) {
    ids.push_back(symbols[i]);
  }
}

void BpeModel::encode_symbols(std::string_view word, EncodeScratch& scratch,
                              std::vector<int32_t>& ids) const {
  scratch.symbols.clear();
  const std::string_view unknown = append_symbols(word, scratch.symbols);
  if (!unknown.empty()) {
    raise<ValueError>(
        "encode: expected a vocabulary with an unknown token, or with the "
        "tokens of all bytes, for ",
        array::quote(unknown));
  }
  append_merged(word, scratch, ids);
}

void BpeModel::encode(std::string_view word, EncodeScratch& scratch,
                      std::vector<int32_t>& ids) const {
  if (word.size() > kMaxWord) {
    raise<ValueError>("encode: expected words of at most ", kMaxWord,
                      " bytes, got one of ", word.size());
  }
  const WordKey key = key_of(word);
  const TokenTable::Row* const row = tokens_.find(key, word);
  if (row != nullptr && row->is_whole) {
    ids.push_back(row->id);
    return;
  }
  if (!scratch.cache.is_enabled()) {
    encode_symbols(word, scratch, ids);
    return;
  }
  if (const auto known = scratch.cache.find(key, word); !known.empty()) {
    ids.insert(ids.end(), known.begin(), known.end());
    return;
  }
  const size_t begin = ids.size();
  encode_symbols(word, scratch, ids);
  scratch.cache.insert(key, word, std::span(ids).subspan(begin));
}

}  // namespace catena::datasets
