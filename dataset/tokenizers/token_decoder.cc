#include "catena/dataset/tokenizers/token_decoder.h"

#include <cstring>
#include <utility>

#include "catena/dataset/tokenizers/byte_alphabet.h"
#include "catena/dataset/tokenizers/byte_tokens.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

// Pieces are padded by that many bytes.
constexpr size_t kShortPiece = 16;

std::string make_piece(std::string_view token, bool is_text, bool is_first,
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
    pieces_.add(make_piece(tokens[id], is_texts, /*is_first=*/false, rules));
    if (rules.tells_first) {
      first_pieces_.add(
          make_piece(tokens[id], is_texts, /*is_first=*/true, rules));
    }
  }
  pieces_.pad(kShortPiece);
}

std::string_view TokenDecoder::piece_of(int32_t id, DecodeState& state) const {
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
  return piece;
}

std::string TokenDecoder::decode(std::span<const int32_t> ids) const {
  DecodeState state;
  // The first pieces are special, until there is nothing to strip.
  std::string bytes;
  size_t begin = 0;
  while (begin < ids.size() && (state.is_first || state.stripped_blanks > 0)) {
    bytes += piece_of(ids[begin++], state);
  }
  const std::span<const int32_t> rest = ids.subspan(begin);
  size_t size = bytes.size();
  for (const int32_t id : rest) size += pieces_[id].size();
  const size_t done = bytes.size();
  bytes.resize(size + kShortPiece);
  char* to = bytes.data() + done;
  for (const int32_t id : rest) {
    const std::string_view piece = pieces_[id];
    // Most pieces are short: a copy of a fixed size is one instruction.
    std::memcpy(to, piece.data(), kShortPiece);
    if (piece.size() > kShortPiece) {
      std::memcpy(to + kShortPiece, piece.data() + kShortPiece,
                  piece.size() - kShortPiece);
    }
    to += piece.size();
  }
  bytes.resize(size);
  if (valid_utf8_size(bytes) == size) return bytes;
  std::string text;
  state.unfinished = std::move(bytes);
  append_valid(/*is_end=*/true, state, text);
  return text;
}

void TokenDecoder::decode(int32_t id, DecodeState& state,
                          std::string& text) const {
  const std::string_view piece = piece_of(id, state);
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
