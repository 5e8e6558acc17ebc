#include "catena/dataset/tokenizers/byte_level_definition.h"

#include <unordered_set>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/dataset/tokenizers/byte_alphabet.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {

using nlohmann::json;

TokenizerDefinition byte_level_definition(
    std::string_view operation,
    std::vector<std::pair<std::string, std::string>> merges,
    std::span<const std::string> special_tokens) {
  TokenizerDefinition definition;
  std::unordered_set<std::string> known;
  const auto add = [&](std::string token) {
    if (!known.insert(token).second) return;  // made by two merges
    definition.vocabulary.push_back(
        {std::move(token), static_cast<int32_t>(definition.vocabulary.size())});
  };
  for (int place = 0; place < 256; ++place) {
    const char byte = static_cast<char>(byte_of_gpt2(place));
    add(to_byte_alphabet({&byte, 1}));
  }
  for (const auto& [left, right] : merges) add(left + right);
  for (const std::string& token : special_tokens) {
    if (token.empty() || valid_utf8_size(token) < token.size() ||
        !known.insert(token).second) {
      raise<ValueError>(operation,
                        ": expected special tokens in UTF-8 that are not "
                        "empty, nor tokens besides, got ",
                        array::quote(token));
    }
    const auto id = static_cast<int32_t>(known.size() - 1);
    definition.added_tokens.push_back(
        {.content = token, .id = id, .is_special = true});
  }
  definition.merges = std::move(merges);
  const json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", true},
                      {"use_regex", true}};
  definition.pre_tokenizer = bytes;
  definition.post_processor = bytes;
  definition.decoder = bytes;
  definition.model = {{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", nullptr},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", nullptr},
                      {"fuse_unk", false},
                      {"byte_fallback", false},
                      {"ignore_merges", false}};
  return definition;
}

}  // namespace catena::datasets
