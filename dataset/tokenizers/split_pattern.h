#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/dataset/tokenizers/unicode.h"

namespace catena::datasets {

// The regular expressions by which tokenizers of bytes split a text into words.
enum class SplitPattern : uint8_t {
  // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  kGpt2,
  // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
  //  ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  kLlama3,
  // The same with \p{N} in place of \p{N}{1,3}.
  kQwen2,
};

// The pattern that an expression is, letter by letter.
std::optional<SplitPattern> split_pattern_of(std::string_view expression);
std::string_view expression_of(SplitPattern pattern);

// Finds what one of the patterns matches. They match all of a text, so that the
// words are the text.
class WordScanner {
 public:
  explicit WordScanner(SplitPattern pattern)
      : pattern_(pattern), table_(CharacterTable::get()) {}

  // The end of the word that begins at `begin`, which is before `end`. The text
  // up to `end` is valid UTF-8.
  const char* end_of_word(const char* begin, const char* end) const {
    return pattern_ == SplitPattern::kGpt2 ? end_of_gpt2_word(begin, end)
                                           : end_of_llama3_word(begin, end);
  }

 private:
  const char* end_of_gpt2_word(const char* begin, const char* end) const;
  const char* end_of_llama3_word(const char* begin, const char* end) const;

  SplitPattern pattern_;
  const CharacterTable& table_;
};

}  // namespace catena::datasets
