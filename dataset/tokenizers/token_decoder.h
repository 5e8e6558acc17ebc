#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/tokenizers/string_table.h"

namespace catena::datasets {

// Changes the text of a token to what it is in a decoded text.
using DecodeStep = std::function<void(std::string& text, bool is_first)>;

struct DecoderRules {
  // One after the other, for each token.
  std::vector<DecodeStep> steps;
  // Whether a step does something else for the first token of a text.
  bool tells_first = false;
  // Tokens <0x00> to <0xFF> are bytes after the steps.
  bool has_byte_tokens = false;
  // Tokens are bytes in the byte alphabet.
  bool is_of_bytes = false;
  // As many blanks as there are, up to this, are left out where a text begins.
  int64_t stripped_blanks = 0;
};

// What has been decoded so far.
struct DecodeState {
  bool is_first = true;
  int64_t stripped_blanks = 0;
  std::string unfinished;  // the bytes of a character that may go on
};

// Turns tokens into text. Serves many threads.
class TokenDecoder {
 public:
  // `is_text` says which tokens are their text, whatever the rules say of
  // bytes.
  TokenDecoder() = default;
  TokenDecoder(const StringTable& tokens, const std::vector<bool>& is_text,
               const DecoderRules& rules);

  // Appends what a token adds to a text, and what it finishes.
  void decode(int32_t id, DecodeState& state, std::string& text) const;
  // Appends what is left, no characters, as U+FFFD.
  void finish(DecodeState& state, std::string& text) const;

 private:
  void append_valid(bool is_end, DecodeState& state, std::string& text) const;

  DecoderRules rules_;
  StringTable pieces_;
  StringTable first_pieces_;  // if they are different
};

}  // namespace catena::datasets
