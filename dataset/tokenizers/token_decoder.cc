#include "catena/dataset/tokenizers/token_decoder.h"

#include <algorithm>
#include <utility>

#include "catena/dataset/tokenizers/byte_alphabet.h"
#include "catena/dataset/tokenizers/byte_tokens.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

std::string piece_of(std::string_view token, bool is_text, bool is_first,
                     const DecoderRules& rules) {
  std::string piece(token);
  if (is_text && rules.is_of_bytes) return piece;
  for (const DecodeStep& step : rules.steps) step(piece, is_first);
  if (rules.has_byte_tokens) {
    if (const auto byte = byte_of_token(piece)) {
      return std::string(1, static_cast<char>(*byte));
    }
  }
  if (rules.is_of_bytes) {
    if (auto bytes = from_byte_alphabet(piece)) return *std::move(bytes);
  }
  return piece;
}

}  // namespace

TokenDecoder::TokenDecoder(const StringTable& tokens,
                           const std::vector<bool>& is_text,
                           const DecoderRules& rules)
    : rules_(rules) {
  for (int64_t id = 0; id < tokens.size(); ++id) {
    const bool is_texts = is_text[static_cast<size_t>(id)];
    pieces_.add(piece_of(tokens[id], is_texts, /*is_first=*/false, rules));
    if (rules.tells_first) {
      first_pieces_.add(
          piece_of(tokens[id], is_texts, /*is_first=*/true, rules));
    }
  }
}

void TokenDecoder::decode(int32_t id, DecodeState& state,
                          std::string& text) const {
  const bool is_first = std::exchange(state.is_first, false);
  std::string_view piece =
      is_first && rules_.tells_first ? first_pieces_[id] : pieces_[id];
  if (is_first) state.stripped_blanks = rules_.stripped_blanks;
  while (state.stripped_blanks > 0 && !piece.empty()) {
    if (piece[0] != ' ') {
      state.stripped_blanks = 0;
      break;
    }
    piece.remove_prefix(1);
    --state.stripped_blanks;
  }
  if (state.unfinished.empty() && valid_utf8_size(piece) == piece.size()) {
    text += piece;
    return;
  }
  state.unfinished += piece;
  append_valid(/*is_end=*/false, state, text);
}

void TokenDecoder::finish(DecodeState& state, std::string& text) const {
  append_valid(/*is_end=*/true, state, text);
}

void TokenDecoder::append_valid(bool is_end, DecodeState& state,
                                std::string& text) const {
  std::string_view rest = state.unfinished;
  while (!rest.empty()) {
    const size_t valid = valid_utf8_size(rest);
    text += rest.substr(0, valid);
    rest.remove_prefix(valid);
    if (rest.empty()) break;
    const Utf8Part part = first_part(rest);
    if (part.kind == Utf8Part::kUnfinished && !is_end) break;
    text += kReplacement;
    // Byte tokens are replaced one by one.
    rest.remove_prefix(
        rules_.has_byte_tokens ? 1 : static_cast<size_t>(part.length));
  }
  state.unfinished = std::string(rest);
}

}  // namespace catena::datasets
