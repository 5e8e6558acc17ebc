#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/dataset/tokenizers/token_model.h"
#include "catena/dataset/tokenizers/token_table.h"

namespace catena::datasets {

// Two tokens that become one.
struct TokenMerge {
  int32_t left;
  int32_t right;
  int32_t whole;
};

struct BpeModelOptions {
  NamedFieldsOnly keywords = {};
  // A word begins as its bytes, or else as its characters.
  bool is_of_bytes = true;
  // The tokens of all bytes, for characters that are not in the vocabulary.
  std::optional<std::array<int32_t, 256>> byte_fallback = {};
  std::optional<int32_t> unknown = {};
  // Unknown characters beside each other are one unknown token.
  bool fuses_unknown = false;
  // A word that is a token is this token, whatever the merges say.
  bool ignores_merges = false;
};

// Byte pair encoding (Sennrich, Haddow and Birch, 2016): of the pairs of
// neighbours in a word that a merge names, the earliest merge is done, at the
// first such place, until there is none. A word of n symbols takes O(n log n).
class BpeModel final : public TokenModel {
 public:
  // The merges are in their order; the last of two of the same pair counts.
  BpeModel(std::span<const TokenBytes> tokens,
           std::span<const TokenMerge> merges, const BpeModelOptions& options);

  void encode(std::string_view word, EncodeScratch& scratch,
              std::vector<int32_t>& ids) const override;

 private:
  static constexpr uint32_t kNoRank = UINT32_MAX;
  static constexpr uint64_t kNoPair = UINT64_MAX;  // a free row

  static uint64_t key_of_pair(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
           static_cast<uint32_t>(right);
  }
  size_t place_of_pair(uint64_t symbols) const {
    const uint64_t mixed = symbols * 0x9E3779B97F4A7C15u;
    return static_cast<size_t>((mixed ^ mixed >> 32) * 0xBF58476D1CE4E5B9u >>
                               (64 - bits_));
  }
  // The place of the merge among all, or kNoRank.
  uint32_t rank_of_pair(int32_t left, int32_t right) const;
  // Returns the first character without a token; "" if there is none.
  std::string_view append_symbols(std::string_view word,
                                  std::vector<int32_t>& to) const;
  bool append_unknown(std::string_view character,
                      std::vector<int32_t>& to) const;
  // Merges scratch.symbols, those of the word, and appends what remains.
  void append_merged(std::string_view word, EncodeScratch& scratch,
                     std::vector<int32_t>& ids) const;
  void encode_symbols(std::string_view word, EncodeScratch& scratch,
                      std::vector<int32_t>& ids) const;

  TokenTable tokens_;
  BpeModelOptions options_;
  std::array<int32_t, 256> byte_ids_;
  int bits_;
  size_t mask_;
  // A table of pairs, and their ranks apart: most pairs that are looked for are
  // not there.
  std::vector<uint64_t> pairs_;
  std::vector<uint32_t> ranks_;
  std::vector<int32_t> wholes_;  // by rank
  // Ranks of pairs of bytes, with which every word begins; the first byte times
  // 256, plus the second.
  std::vector<uint32_t> byte_ranks_;
};

}  // namespace catena::datasets
