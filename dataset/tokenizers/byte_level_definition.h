#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/dataset/tokenizers/tokenizer_definition.h"

namespace catena::datasets {

// A tokenizer as GPT-2's: all bytes in its order, what the merges make of them,
// and special tokens, by id. The merges are in the byte alphabet. Throws
// ValueError for special tokens that are empty, no UTF-8, or not distinct.
TokenizerDefinition byte_level_definition(
    std::string_view operation,
    std::vector<std::pair<std::string, std::string>> merges,
    std::span<const std::string> special_tokens);

}  // namespace catena::datasets
