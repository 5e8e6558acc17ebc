#include "catena/dataset/tokenizers/unicode.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "catena/array/core/utf32.h"
#include "catena/dataset/tokenizers/unicode_tables.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

constexpr char32_t kCharacters = 0x110000;

// Hangul syllables are computed (Unicode 3.12).
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161,
                   kTrailing = 0x11A7;
constexpr char32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
constexpr char32_t kSyllableCount =
    kLeadingCount * kVowelCount * kTrailingCount;

bool is_composed(NormalForm form) {
  return form == NormalForm::kNfc || form == NormalForm::kNfkc;
}
bool is_compatible(NormalForm form) {
  return form == NormalForm::kNfkc || form == NormalForm::kNfkd;
}

// The row of a character, or the end.
template <class Row>
auto find_row(std::span<const Row> rows, char32_t code) {
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), code,
      [](const Row& row, char32_t wanted) { return row.code < wanted; });
  return found == rows.end() || found->code == code ? found : rows.end();
}

uint8_t combining_class(char32_t code) {
  static const UnicodeTables tables = unicode_tables();
  const auto after = std::upper_bound(
      tables.combining_classes.begin(), tables.combining_classes.end(), code,
      [](char32_t wanted, uint32_t row) { return wanted < row >> 8; });
  if (after == tables.combining_classes.begin()) return 0;
  return static_cast<uint8_t>(*std::prev(after) & 255);
}

void decompose(char32_t code, NormalForm form, std::u32string& to) {
  static const UnicodeTables tables = unicode_tables();
  if (code >= kSyllables && code < kSyllables + kSyllableCount) {
    const char32_t syllable = code - kSyllables;
    to += kLeading + syllable / (kVowelCount * kTrailingCount);
    to += kVowels + syllable / kTrailingCount % kVowelCount;
    const char32_t trailing = syllable % kTrailingCount;
    if (trailing != 0) to += kTrailing + trailing;
    return;
  }
  if (const auto row = find_row(tables.canonical_parts, code);
      row != tables.canonical_parts.end()) {
    decompose(row->first, form, to);
    if (row->second != 0) decompose(row->second, form, to);
    return;
  }
  if (is_compatible(form)) {
    if (const auto row = find_row(tables.compatible_parts, code);
        row != tables.compatible_parts.end()) {
      for (const char32_t part :
           tables.compatible_characters.subspan(row->begin, row->count)) {
        decompose(part, form, to);
      }
      return;
    }
  }
  to += code;
}

// The character that two become, or 0.
char32_t composition(char32_t first, char32_t second) {
  static const std::map<std::pair<char32_t, char32_t>, char32_t> pairs = [] {
    std::map<std::pair<char32_t, char32_t>, char32_t> pairs;
    for (const CanonicalParts& row : unicode_tables().canonical_parts) {
      if (row.composes) pairs[{row.first, row.second}] = row.code;
    }
    return pairs;
  }();
  if (first >= kLeading && first < kLeading + kLeadingCount &&
      second >= kVowels && second < kVowels + kVowelCount) {
    return kSyllables + ((first - kLeading) * kVowelCount + second - kVowels) *
                            kTrailingCount;
  }
  if (first >= kSyllables && first < kSyllables + kSyllableCount &&
      (first - kSyllables) % kTrailingCount == 0 && second > kTrailing &&
      second < kTrailing + kTrailingCount) {
    return first + second - kTrailing;
  }
  const auto found = pairs.find({first, second});
  return found == pairs.end() ? 0 : found->second;
}

// Marks after each starter in the order of their combining classes.
void reorder(std::u32string& characters) {
  for (size_t i = 0; i < characters.size();) {
    size_t end = i;
    while (end < characters.size() && combining_class(characters[end]) != 0) {
      ++end;
    }
    std::stable_sort(characters.begin() + static_cast<ptrdiff_t>(i),
                     characters.begin() + static_cast<ptrdiff_t>(end),
                     [](char32_t a, char32_t b) {
                       return combining_class(a) < combining_class(b);
                     });
    i = end + 1;
  }
}

void compose(std::u32string& characters) {
  size_t size = 0;
  size_t starter = 0;
  bool has_starter = false;
  uint8_t last_class = 0;
  for (const char32_t code : characters) {
    const uint8_t its_class = combining_class(code);
    const bool is_next = has_starter && size == starter + 1;
    if (has_starter && (is_next || (last_class < its_class))) {
      if (const char32_t whole = composition(characters[starter], code)) {
        characters[starter] = whole;
        continue;
      }
    }
    if (its_class == 0) {
      starter = size;
      has_starter = true;
    }
    last_class = its_class;
    characters[size++] = code;
  }
  characters.resize(size);
}

char32_t lower_of(char32_t code) {
  static const UnicodeTables tables = unicode_tables();
  const auto row = std::lower_bound(
      tables.lower_runs.begin(), tables.lower_runs.end(), code,
      [](const LowerRun& run, char32_t wanted) { return run.last < wanted; });
  if (row == tables.lower_runs.end() || code < row->first ||
      (code - row->first) % row->step != 0) {
    return code;
  }
  return static_cast<char32_t>(static_cast<int32_t>(code) + row->difference);
}

}  // namespace

CharacterTable::CharacterTable() {
  const UnicodeTables tables = unicode_tables();
  auto next = tables.properties.begin();
  uint8_t value = 0;
  std::map<std::array<uint8_t, 256>, uint16_t> known;
  for (char32_t code = 0; code < kCharacters; code += 256) {
    std::array<uint8_t, 256> block;
    for (char32_t i = 0; i < 256; ++i) {
      if (next != tables.properties.end() && *next >> 8 == code + i) {
        value = static_cast<uint8_t>(*next++ & 255);
      }
      block[i] = value;
    }
    const auto number = static_cast<uint16_t>(blocks_.size());
    const auto [found, is_new] = known.emplace(block, number);
    if (is_new) blocks_.push_back(block);
    blocks_of_[code >> 8] = found->second;
  }
}

const CharacterTable& CharacterTable::get() {
  static const CharacterTable table;
  return table;
}

bool is_word_character(char32_t code) {
  switch (class_of(code)) {
    case CharacterClass::kLetter:
    case CharacterClass::kNonspacingMark:
    case CharacterClass::kMark:
    case CharacterClass::kDigit:
    case CharacterClass::kLetterNumber:
    case CharacterClass::kConnector:
      return true;
    case CharacterClass::kSymbol:
      // Letters in circles and squares, which are alphabetic.
      return (code >= 0x24B6 && code <= 0x24E9) ||
             (code >= 0x1F130 && code <= 0x1F149) ||
             (code >= 0x1F150 && code <= 0x1F169) ||
             (code >= 0x1F170 && code <= 0x1F189);
    default:
      return code == 0x200C || code == 0x200D;
  }
}

std::string lower_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Character character = first_character(text.data() + i);
    i += static_cast<size_t>(character.length);
    if (character.code == 0x130) {
      result += "i\u0307";  // I with a dot above alone becomes two
    } else {
      array::append_utf8(lower_of(character.code), result);
    }
  }
  return result;
}

bool is_normalized(std::string_view text, NormalForm form) {
  const CharacterTable& table = CharacterTable::get();
  for (size_t i = 0; i < text.size();) {
    // ASCII is, in all forms.
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Character character = first_character(text.data() + i);
    if (!table.is_inert(form, character.code)) return false;
    i += static_cast<size_t>(character.length);
  }
  return true;
}

std::string normalized(std::string_view text, NormalForm form) {
  const CharacterTable& table = CharacterTable::get();
  std::string result;
  result.reserve(text.size());
  std::u32string characters;
  size_t inert = 0;  // the last that is, before `place`
  size_t copied = 0;
  for (size_t place = 0; place < text.size();) {
    Character character = first_character(text.data() + place);
    if (table.is_inert(form, character.code)) {
      inert = place;
      place += static_cast<size_t>(character.length);
      continue;
    }
    // From the inert character before up to the next, all at once.
    const size_t begin = std::max(inert, copied);
    result += text.substr(copied, begin - copied);
    characters.clear();
    for (place = begin; place < text.size();) {
      character = first_character(text.data() + place);
      if (place > begin && table.is_inert(form, character.code)) break;
      decompose(character.code, form, characters);
      place += static_cast<size_t>(character.length);
    }
    reorder(characters);
    if (is_composed(form)) compose(characters);
    for (const char32_t code : characters) array::append_utf8(code, result);
    copied = inert = place;
  }
  result += text.substr(copied);
  return result;
}

}  // namespace catena::datasets
