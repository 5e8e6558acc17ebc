#pragma once

#include <cstdint>
#include <span>

namespace catena::datasets {

// Characters first, first + step, ..., last have the lower case characters that
// are `difference` further.
struct LowerRun {
  char32_t first;
  char32_t last;
  uint8_t step;
  int32_t difference;
};

// The canonical decomposition of one step; `second` is 0 for a single
// character. `composes` says whether the parts become the character again.
struct CanonicalParts {
  char32_t code;
  char32_t first;
  char32_t second;
  bool composes;
};

// A compatible decomposition of one step: `count` of compatible_characters from
// `begin` on.
struct CompatibleParts {
  char32_t code;
  uint16_t begin;
  uint8_t count;
};

// What make_unicode_tables.py writes, all in the order of the characters.
struct UnicodeTables {
  // First character * 256 + properties of it and of those up to the next entry:
  // a CharacterClass, and a bit 16 << form for each normal form in which the
  // character may be another or be moved. Before the first they are 0.
  std::span<const uint32_t> properties;
  // First character * 256 + canonical combining class.
  std::span<const uint32_t> combining_classes;
  std::span<const LowerRun> lower_runs;
  std::span<const CanonicalParts> canonical_parts;
  std::span<const CompatibleParts> compatible_parts;
  std::span<const char32_t> compatible_characters;
};
UnicodeTables unicode_tables();

}  // namespace catena::datasets
