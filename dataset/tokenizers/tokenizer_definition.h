#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catena/dataset/tokenizers/added_token.h"
#include "catena/dataset/tokenizers/token_table.h"

namespace catena::datasets {

// What tokenizer.json has.
struct TokenizerDefinition {
  // As they are in the file.
  nlohmann::json normalizer;
  nlohmann::json pre_tokenizer;
  nlohmann::json post_processor;
  nlohmann::json decoder;
  // Without vocabulary and merges.
  nlohmann::json model;
  // By id, as texts of the file.
  std::vector<TokenBytes> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;
  std::vector<AddedToken> added_tokens;
};

}  // namespace catena::datasets
