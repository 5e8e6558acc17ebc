#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace catena::datasets {

// Unicode's general categories, as far as tokenizers tell them apart.
enum class CharacterClass : uint8_t {
  kUnassigned,
  kLetter,          // L
  kNonspacingMark,  // Mn
  kMark,            // the other M
  kDigit,           // Nd
  kLetterNumber,    // Nl
  kNumber,          // No
  kConnector,       // Pc
  kPunctuation,     // the other P
  kSymbol,          // S
  kSpace,           // White_Space, line breaks and tabs among them
  kControl,         // the other C
};

enum class NormalForm : uint8_t { kNfc, kNfd, kNfkc, kNfkd };

// What is known of each character, in blocks of 256 that are kept once if they
// are uniform. Made once, when the first tokenizer needs it.
class CharacterTable {
 public:
  static const CharacterTable& get();

  CharacterClass class_of(char32_t code) const {
    return static_cast<CharacterClass>(properties(code) & 15);
  }
  // Whether a character stays the same in a normal form, at its place, whatever
  // is before it.
  bool is_inert(NormalForm form, char32_t code) const {
    return (properties(code) >> (4 + static_cast<int>(form)) & 1) == 0;
  }

 private:
  CharacterTable();
  uint8_t properties(char32_t code) const {
    return blocks_[blocks_of_[code >> 8]][code & 255];
  }

  std::array<uint16_t, 0x1100> blocks_of_;
  std::vector<std::array<uint8_t, 256>> blocks_;
};

inline CharacterClass class_of(char32_t code) {
  return CharacterTable::get().class_of(code);
}
inline bool is_letter(CharacterClass c) { return c == CharacterClass::kLetter; }
// N.
inline bool is_number(CharacterClass c) {
  return c == CharacterClass::kDigit || c == CharacterClass::kLetterNumber ||
         c == CharacterClass::kNumber;
}
// M.
inline bool is_mark(CharacterClass c) {
  return c == CharacterClass::kNonspacingMark || c == CharacterClass::kMark;
}
// P.
inline bool is_punctuation(CharacterClass c) {
  return c == CharacterClass::kConnector || c == CharacterClass::kPunctuation;
}
inline bool is_space(CharacterClass c) { return c == CharacterClass::kSpace; }
// \w: alphabetic characters, marks, digits, connectors and joiners.
bool is_word_character(char32_t code);

// A text in lower case, one character after the other: what is around a sigma
// does not count.
std::string lower_case(std::string_view text);

// A text of valid UTF-8 in a normal form.
std::string normalized(std::string_view text, NormalForm form);
bool is_normalized(std::string_view text, NormalForm form);

}  // namespace catena::datasets
