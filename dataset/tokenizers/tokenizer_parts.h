#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/tokenizers/added_token_finder.h"
#include "catena/dataset/tokenizers/string_table.h"
#include "catena/dataset/tokenizers/token_decoder.h"
#include "catena/dataset/tokenizers/token_model.h"
#include "catena/dataset/tokenizers/token_table.h"
#include "catena/dataset/tokenizers/tokenizer_components.h"
#include "catena/dataset/tokenizers/tokenizer_definition.h"

namespace catena::datasets {

// What a tokenizer consists of. Nothing changes once it is made.
struct TokenizerParts {
  // The ids of texts, as tokenizer.json writes them.
  std::optional<int32_t> id_of(std::string_view token) const;
  bool has(int32_t id) const {
    return id >= 0 && id < tokens.size() && !tokens[id].empty();
  }

  StringTable tokens;  // by id, as tokenizer.json writes them; "" for none
  TokenTable by_text;  // the same
  std::vector<AddedToken> added_tokens;
  std::vector<bool> is_special;  // by id
  AddedTokenFinder raw_finder;   // in the text as it is
  AddedTokenFinder normalized_finder;
  Normalizer normalizer;  // or none
  PreTokenizer splits;    // or none
  std::unique_ptr<const TokenModel> model;
  TokenDecoder decoder;
  TextTemplate text_template;

  // For files: as in TokenizerDefinition, and merges by id.
  nlohmann::json normalizer_json;
  nlohmann::json pre_tokenizer_json;
  nlohmann::json post_processor_json;
  nlohmann::json decoder_json;
  nlohmann::json model_json;
  std::vector<int32_t> model_ids;  // of the model's vocabulary, in order
  std::vector<std::pair<int32_t, int32_t>> merges;
};

// Throws IoError, beginning with `where`, for what does not fit together and
// what catena does not know.
std::shared_ptr<const TokenizerParts> make_tokenizer_parts(
    const TokenizerDefinition& definition, const std::string& where);

}  // namespace catena::datasets
