#include "catena/dataset/tokenizers/split_pattern.h"

#include <array>

#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

constexpr std::string_view kExpressions[] = {
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
};

enum Kind : uint8_t { kLetter, kNumber, kSpace, kOther, kBeyondAscii };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds;
  for (size_t c = 0; c < kinds.size(); ++c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    kinds[c] = c >= 0x80              ? kBeyondAscii
               : is_letter            ? kLetter
               : c >= '0' && c <= '9' ? kNumber
               : is_space             ? kSpace
                                      : kOther;
  }
  return kinds;
}();

Kind kind_of(CharacterClass c) {
  return is_letter(c)   ? kLetter
         : is_number(c) ? kNumber
         : is_space(c)  ? kSpace
                        : kOther;
}

struct Found {
  Kind kind;
  int32_t length;
};

Found found_at(const CharacterTable& table, const char* place) {
  const Kind kind = kKinds[static_cast<unsigned char>(*place)];
  if (kind != kBeyondAscii) return {kind, 1};
  const Character character = first_character(place);
  return {kind_of(table.class_of(character.code)), character.length};
}

// The first place from `place` on that is of another kind.
const char* end_of_run(const CharacterTable& table, const char* place,
                       const char* end, Kind kind) {
  while (place < end) {
    const Kind next = kKinds[static_cast<unsigned char>(*place)];
    if (next == kind) {
      ++place;
    } else if (next == kBeyondAscii) {
      const Found found = found_at(table, place);
      if (found.kind != kind) break;
      place += found.length;
    } else {
      break;
    }
  }
  return place;
}

// What \s+(?!\S)|\s+ matches of spaces from `begin` to `run`: all but the last,
// which goes with what follows, unless it is the only one.
const char* end_of_spaces(const char* begin, const char* run, const char* end) {
  if (run == end) return run;
  const char* const last =
      run - last_character({begin, static_cast<size_t>(run - begin)}).length;
  return last > begin ? last : run;
}

bool is_line_break(char c) { return c == '\n' || c == '\r'; }

// The bytes of 's, 't, 're, 've, 'm, 'll or 'd that a text begins with, or 0.
int contraction(const char* begin, const char* end, bool ignores_case) {
  if (*begin != '\'') return 0;
  const auto letter = [&](int i) {
    if (end - begin <= i) return '\0';
    const char c = begin[i];
    return ignores_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20)
                                                : c;
  };
  switch (letter(1)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return letter(2) == 'e' ? 3 : 0;
    case 'l':
      return letter(2) == 'l' ? 3 : 0;
    case '\xC5':
      // A long s is an s in another case.
      return ignores_case && letter(2) == '\xBF' ? 3 : 0;
    default:
      return 0;
  }
}

}  // namespace

std::optional<SplitPattern> split_pattern_of(std::string_view expression) {
  for (const SplitPattern pattern :
       {SplitPattern::kGpt2, SplitPattern::kLlama3, SplitPattern::kQwen2}) {
    if (expression == expression_of(pattern)) return pattern;
  }
  return std::nullopt;
}

std::string_view expression_of(SplitPattern pattern) {
  return kExpressions[static_cast<size_t>(pattern)];
}

const char* WordScanner::end_of_gpt2_word(const char* begin,
                                          const char* end) const {
  if (const int size = contraction(begin, end, /*ignores_case=*/false)) {
    return begin + size;
  }
  const Found first = found_at(table_, begin);
  if (*begin == ' ' && begin + 1 < end) {
    const Found second = found_at(table_, begin + 1);
    if (second.kind != kSpace) {
      return end_of_run(table_, begin + 1 + second.length, end, second.kind);
    }
  }
  const char* const run =
      end_of_run(table_, begin + first.length, end, first.kind);
  return first.kind == kSpace ? end_of_spaces(begin, run, end) : run;
}

const char* WordScanner::end_of_llama3_word(const char* begin,
                                            const char* end) const {
  if (const int size = contraction(begin, end, /*ignores_case=*/true)) {
    return begin + size;
  }
  const Found first = found_at(table_, begin);
  const char* const second = begin + first.length;
  if (first.kind == kLetter) return end_of_run(table_, second, end, kLetter);
  if (first.kind == kNumber) {
    const int most = pattern_ == SplitPattern::kLlama3 ? 3 : 1;
    const char* place = second;
    for (int i = 1; i < most && place < end; ++i) {
      const Found found = found_at(table_, place);
      if (found.kind != kNumber) break;
      place += found.length;
    }
    return place;
  }
  if (!is_line_break(*begin) && second < end &&
      found_at(table_, second).kind == kLetter) {
    return end_of_run(table_, second, end, kLetter);
  }
  const char* const sign = *begin == ' ' ? second : begin;
  if (sign < end && found_at(table_, sign).kind == kOther) {
    const char* place = end_of_run(table_, sign, end, kOther);
    while (place < end && is_line_break(*place)) ++place;
    return place;
  }
  const char* const run = end_of_run(table_, begin, end, kSpace);
  // Up to the last line break.
  for (const char* place = run; place > begin; --place) {
    if (is_line_break(place[-1])) return place;
  }
  return end_of_spaces(begin, run, end);
}

}  // namespace catena::datasets
