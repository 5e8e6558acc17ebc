#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/tokenizers/word_key.h"

namespace catena::datasets {

// The ids of words that were merged before, in the same text. A word takes the
// place of another with the same hash.
class WordCache {
 public:
  // For a text of that many bytes: none if it is short.
  explicit WordCache(size_t text_size);

  bool is_enabled() const { return !rows_.empty(); }
  // Empty if it is not there.
  std::span<const int32_t> find(WordKey key, std::string_view word) const;
  void insert(WordKey key, std::string_view word, std::span<const int32_t> ids);

 private:
  struct Row {
    WordKey key = {};
    uint32_t bytes = 0;  // where they begin
    uint32_t ids = 0;
    uint32_t count = 0;
  };

  int bits_ = 0;
  std::vector<Row> rows_;
  std::string bytes_;
  std::vector<int32_t> ids_;
};

// What encoding one text needs.
struct EncodeScratch {
  explicit EncodeScratch(size_t text_size) : cache(text_size) {}

  WordCache cache;
  // A word's symbols, and the places of their neighbours.
  std::vector<int32_t> symbols;
  std::vector<uint32_t> next;
  std::vector<uint32_t> previous;
  std::vector<uint64_t> tree;
};

}  // namespace catena::datasets
