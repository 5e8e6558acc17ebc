#include "catena/dataset/tokenizers/token_table.h"

#include <algorithm>
#include <bit>

namespace catena::datasets {

TokenTable::TokenTable(std::span<const TokenBytes> tokens)
    // At most two thirds of the rows are taken.
    : bits_(std::bit_width(tokens.size() * 3 / 2 + 1)),
      mask_((size_t{1} << bits_) - 1) {
  rows_.resize(mask_ + 1);
  for (const TokenBytes& token : tokens) {
    const WordKey key = key_of(token.bytes);
    size_t place = key.place(bits_);
    while (rows_[place].id >= 0) place = (place + 1) & mask_;
    rows_[place] = {.key = key,
                    .id = token.id,
                    .begin = static_cast<uint32_t>(bytes_.size())};
    bytes_ += token.bytes;
    longest_ = std::max(longest_, token.bytes.size());
  }
}

}  // namespace catena::datasets
