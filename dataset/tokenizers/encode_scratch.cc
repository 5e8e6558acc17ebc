#include "catena/dataset/tokenizers/encode_scratch.h"

#include <algorithm>
#include <bit>

namespace catena::datasets {
namespace {

constexpr size_t kShortText = 4096;
constexpr size_t kMaxRows = 1 << 13;
constexpr size_t kLongWord = 256;
constexpr size_t kMaxIds = 1 << 18;

}  // namespace

WordCache::WordCache(size_t text_size) {
  if (text_size < kShortText) return;
  const size_t rows = std::min(std::bit_ceil(text_size / 64), kMaxRows);
  bits_ = std::bit_width(rows) - 1;
  rows_.resize(rows);
}

std::span<const int32_t> WordCache::find(WordKey key,
                                         std::string_view word) const {
  const Row& row = rows_[key.place(bits_)];
  if (row.key != key || (!key.has_all() && std::string_view(bytes_).substr(
                                               row.bytes, key.size) != word)) {
    return {};
  }
  return std::span(ids_).subspan(row.ids, row.count);
}

void WordCache::insert(WordKey key, std::string_view word,
                       std::span<const int32_t> ids) {
  if (word.size() > kLongWord) return;
  if (ids_.size() > kMaxIds) {
    std::fill(rows_.begin(), rows_.end(), Row());
    ids_.clear();
    bytes_.clear();
  }
  rows_[key.place(bits_)] = {.key = key,
                             .bytes = static_cast<uint32_t>(bytes_.size()),
                             .ids = static_cast<uint32_t>(ids_.size()),
                             .count = static_cast<uint32_t>(ids.size())};
  if (!key.has_all()) bytes_ += word;
  ids_.insert(ids_.end(), ids.begin(), ids.end());
}

}  // namespace catena::datasets
