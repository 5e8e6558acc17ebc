#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  struct Row {
    WordKey key = {};
    int32_t id = -1;  // -1: a free row
    // A mark of the model.
    bool is_whole = false;
    uint32_t begin = 0;  // of its bytes
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
      if (row.key == key && (key.has_all() || bytes_of(row) == word)) {
        return &row;
      }
    }
  }
  Row* find(std::string_view word) {
    return const_cast<Row*>(std::as_const(*this).find(word));
  }

  // The size of the longest token.
  size_t longest() const { return longest_; }

 private:
  std::string_view bytes_of(const Row& row) const {
    return {bytes_.data() + row.begin, row.key.size};
  }

  std::string bytes_;
  std::vector<Row> rows_;
  int bits_;
  size_t mask_;
  size_t longest_ = 0;
};

}  // namespace catena::datasets
