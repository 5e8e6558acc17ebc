#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/core/named_fields_only.h"
#include "catena/dataset/tokenizers/token_model.h"
#include "catena/dataset/tokenizers/token_table.h"

namespace catena::datasets {

struct WordPieceModelOptions {
  NamedFieldsOnly keywords = {};
  // What tokens that do not begin a word begin with.
  std::string prefix = "##";
  // The token of a word that no tokens make up.
  int32_t unknown = 0;
  // Longer words are unknown.
  int64_t max_word_characters = 100;
};

// From left to right, the longest token that a word goes on with (Wu et al.,
// 2016).
class WordPieceModel final : public TokenModel {
 public:
  WordPieceModel(std::span<const TokenBytes> tokens,
                 const WordPieceModelOptions& options);

  void encode(std::string_view word, EncodeScratch& scratch,
              std::vector<int32_t>& ids) const override;

 private:
  TokenTable first_;
  TokenTable further_;  // without the prefix
  WordPieceModelOptions options_;
};

}  // namespace catena::datasets
