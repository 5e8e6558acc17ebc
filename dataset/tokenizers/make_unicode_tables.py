#!/usr/bin/env python3
"""Writes unicode_tables.cc: what tokenizers need to know of Unicode's characters.

    python3 dataset/tokenizers/make_unicode_tables.py

The facts are those of Python's module unicodedata, whose version of Unicode the file names. They
are in the repository, since ids of tokens must not depend on what a machine has installed.
"""

import pathlib
import unicodedata

CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
# As enum CharacterClass in unicode.h.
(UNASSIGNED, LETTER, NONSPACING_MARK, MARK, DIGIT, LETTER_NUMBER, NUMBER, CONNECTOR, PUNCTUATION,
 SYMBOL, SPACE, CONTROL) = range(12)
CLASSES = {"Cn": UNASSIGNED, "L": LETTER, "Mn": NONSPACING_MARK, "M": MARK, "Nd": DIGIT,
           "Nl": LETTER_NUMBER, "No": NUMBER, "Pc": CONNECTOR, "P": PUNCTUATION, "S": SYMBOL,
           "Z": SPACE, "C": CONTROL}
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
HANGUL_SYLLABLES = range(0xAC00, 0xAC00 + 11172)
# Vowels and final consonants, which compose with what is before them.
JAMO = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}


def character_class(character):
    """Returns the class of a character."""
    if character in "\t\n\v\f\r\x85":
        return SPACE
    category = unicodedata.category(character)
    return CLASSES.get(category, CLASSES.get(category[0]))


def mappings(is_compatibility):
    """Returns the decompositions of one step that Unicode lists."""
    result = {}
    for character in CHARACTERS:
        mapping = unicodedata.decomposition(character)
        if ord(character) not in HANGUL_SYLLABLES and mapping and (
                mapping.startswith("<") == is_compatibility):
            result[ord(character)] = [int(code, 16) for code in mapping.split()
                                      if not code.startswith("<")]
    return result


def composes(code):
    """Returns whether a normal form has this character rather than its parts."""
    return unicodedata.normalize("NFC", chr(code)) == chr(code)


def runs(values):
    """Yields code and value wherever the value changes, without the zeros in front."""
    last = 0
    for code in range(0x110000):
        value = values.get(code, 0)
        if value != last:
            yield code, value
        last = value


def lower_runs():
    """Returns [first, last, step, difference] of characters with one lower case character."""
    result = []
    for character in CHARACTERS:
        code, lower = ord(character), character.lower()
        if lower == character or len(lower) > 1:
            continue
        difference = ord(lower) - code
        if result and result[-1][3] == difference:
            first, last, step, _ = result[-1]
            if (code - last in (1, 2)) if first == last else (code - last == step):
                result[-1][1:3] = [code, code - last]
                continue
        result.append([code, code, 1, difference])
    return result


def table(declaration, items):
    """Returns the definition of an array."""
    lines, line = [f"{declaration}[] = {{"], "   "
    for item in items:
        if len(line) + len(item) + 2 > 80:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join([*lines, line, "};\n"])


def main():
    canonical, compatibility = mappings(False), mappings(True)
    # What an earlier character may absorb.
    seconds = {parts[1] for code, parts in canonical.items() if len(parts) == 2 and composes(code)}
    seconds |= JAMO
    properties, combining_classes = {}, {}
    for character in CHARACTERS:
        code, changes = ord(character), 0
        combining_classes[code] = unicodedata.combining(character)
        for bit, form in enumerate(FORMS):
            if (combining_classes[code] or unicodedata.normalize(form, character) != character
                    or (form.endswith("C") and code in seconds)):
                changes |= 1 << bit
        properties[code] = changes << 4 | character_class(character)
    for code in range(0xD800, 0xE000):
        properties[code] = CONTROL
    assert [c for c in CHARACTERS if len(c.lower()) > 1] == ["\u0130"]

    pool = []
    entries = []
    for code, parts in compatibility.items():
        entries.append(f"{{0x{code:X}, {len(pool)}, {len(parts)}}}")
        pool += [f"0x{part:X}" for part in parts]
    pairs = [(code, *parts, *[0] * (2 - len(parts)), composes(code))
             for code, parts in canonical.items()]
    text = "\n".join([
        "// Written by make_unicode_tables.py from Unicode "
        f"{unicodedata.unidata_version}. Do not edit.",
        "// clang-format off\n",
        '#include "catena/dataset/tokenizers/unicode_tables.h"\n',
        "namespace catena::datasets {",
        "namespace {\n",
        table("constexpr uint32_t kProperties",
              (f"0x{code << 8 | value:X}" for code, value in runs(properties))),
        table("constexpr uint32_t kCombiningClasses",
              (f"0x{code << 8 | value:X}" for code, value in runs(combining_classes))),
        table("constexpr LowerRun kLowerRuns",
              (f"{{0x{a:X}, 0x{b:X}, {step}, {difference}}}"
               for a, b, step, difference in lower_runs())),
        table("constexpr CanonicalParts kCanonicalParts",
              (f"{{0x{code:X}, 0x{a:X}, 0x{b:X}, {str(whole).lower()}}}"
               for code, a, b, whole in pairs)),
        table("constexpr CompatibleParts kCompatibleParts", entries),
        table("constexpr char32_t kCompatibleCharacters", pool),
        "}  // namespace\n",
        "UnicodeTables unicode_tables() {",
        "  return {kProperties,      kCombiningClasses, kLowerRuns,",
        "          kCanonicalParts,  kCompatibleParts,  kCompatibleCharacters};",
        "}\n",
        "}  // namespace catena::datasets\n"])
    path = pathlib.Path(__file__).with_name("unicode_tables.cc")
    path.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
