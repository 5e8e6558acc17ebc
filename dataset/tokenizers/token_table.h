#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/tokenizers/word_key.h"

namespace catena::datasets {

// A token and its bytes.
struct TokenBytes {
  std::string bytes;
  int32_t id;
};

// Finds tokens by their bytes.
class TokenTable {
 public:
  // Two of these share a line of the cache with their neighbours: most words
  // cost one line.
  struct Row {
    uint64_t key = 0;
    int32_t id = -1;  // -1: a free row
    // The word's size, and a mark of the model.
    uint32_t size : 31 = 0;
    uint32_t is_whole : 1 = 0;
  };

  TokenTable() : TokenTable(std::span<const TokenBytes>()) {}
  // The bytes are not empty, and no two are the same.
  explicit TokenTable(std::span<const TokenBytes> tokens);

  const Row* find(std::string_view word) const {
    return find(key_of(word), word);
  }
  const Row* find(WordKey key, std::string_view word) const {
    for (size_t place = key.place(bits_);; place = (place + 1) & mask_) {
      const Row& row = rows_[place];
      if (row.id < 0) return nullptr;
      if (row.key == key.key && row.size == key.size &&
          (key.has_all() || bytes_at(place) == word)) {
        return &row;
      }
    }
  }
  // Sets the mark of a word that is there.
  void set_whole(std::string_view word, bool is_whole) {
    rows_[static_cast<size_t>(find(word) - rows_.data())].is_whole = is_whole;
  }

  // The size of the longest token.
  size_t longest() const { return longest_; }

 private:
  std::string_view bytes_at(size_t place) const {
    return {bytes_.data() + begins_[place], rows_[place].size};
  }

  std::string bytes_;
  std::vector<Row> rows_;
  std::vector<uint32_t> begins_;  // of the bytes of each row
  int bits_;
  size_t mask_;
  size_t longest_ = 0;
};

}  // namespace catena::datasets
