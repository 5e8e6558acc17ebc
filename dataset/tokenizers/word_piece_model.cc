#include "catena/dataset/tokenizers/word_piece_model.h"

#include <algorithm>

#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

TokenTable without_prefix(std::span<const TokenBytes> tokens,
                          const std::string& prefix) {
  std::vector<TokenBytes> further;
  for (const TokenBytes& token : tokens) {
    if (token.bytes.size() > prefix.size() && token.bytes.starts_with(prefix)) {
      further.push_back({token.bytes.substr(prefix.size()), token.id});
    }
  }
  return TokenTable(further);
}

bool is_longer(std::string_view word, int64_t characters) {
  if (static_cast<int64_t>(word.size()) <= characters) return false;
  return std::count_if(word.begin(), word.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
         }) > characters;
}

}  // namespace

WordPieceModel::WordPieceModel(std::span<const TokenBytes> tokens,
                               const WordPieceModelOptions& options)
    : first_(tokens),
      further_(without_prefix(tokens, options.prefix)),
      options_(options) {}

void WordPieceModel::encode(std::string_view word, EncodeScratch& /*scratch*/,
                            std::vector<int32_t>& ids) const {
  const size_t begin = ids.size();
  const auto give_up = [&] {
    ids.resize(begin);
    ids.push_back(options_.unknown);
  };
  if (is_longer(word, options_.max_word_characters)) return give_up();
  for (size_t place = 0; place < word.size();) {
    const TokenTable& table = place == 0 ? first_ : further_;
    const TokenTable::Row* found = nullptr;
    size_t size = std::min(word.size() - place, table.longest());
    for (; size > 0; --size) {
      found = table.find(word.substr(place, size));
      if (found != nullptr) break;
    }
    if (found == nullptr) return give_up();
    ids.push_back(found->id);
    place += size;
  }
}

}  // namespace catena::datasets
