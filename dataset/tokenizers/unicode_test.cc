#include "catena/dataset/tokenizers/unicode.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/dataset/tokenizers/utf8.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

// Python's unicodedata.normalize.
TEST(UnicodeTest, HasTheNormalFormsOfPython) {
  const auto rows = nlohmann::json::parse(testing::read_file(
      testing::runfile("tests/golden/tokenizers/normal_forms.json")));
  constexpr NormalForm kForms[] = {NormalForm::kNfc, NormalForm::kNfd,
                                   NormalForm::kNfkc, NormalForm::kNfkd};
  ASSERT_EQ(rows.size(), 150);
  for (const auto& row : rows) {
    const auto texts = row.get<std::vector<std::string>>();
    for (size_t form = 0; form < 4; ++form) {
      EXPECT_EQ(normalized(texts[0], kForms[form]), texts[form + 1])
          << texts[0] << " in form " << form;
      EXPECT_EQ(normalized("x" + texts[0] + "x", kForms[form]),
                normalized("x" + texts[form + 1] + "x", kForms[form]));
      EXPECT_TRUE(is_normalized("ASCII \u00E9\u4F60", NormalForm::kNfc));
    }
  }
}

TEST(UnicodeTest, TellsClassesApart) {
  const auto is = [](char32_t code, CharacterClass expected) {
    EXPECT_EQ(class_of(code), expected) << std::hex << uint32_t{code};
  };
  is('a', CharacterClass::kLetter);
  is(0x4F60, CharacterClass::kLetter);
  is(0x10FFFF, CharacterClass::kUnassigned);
  is(0x301, CharacterClass::kNonspacingMark);
  is(0x903, CharacterClass::kMark);
  is(0x663, CharacterClass::kDigit);
  is(0x2167, CharacterClass::kLetterNumber);
  is(0xBD, CharacterClass::kNumber);
  is('_', CharacterClass::kConnector);
  is(0x2014, CharacterClass::kPunctuation);
  is('+', CharacterClass::kSymbol);
  is(0x3000, CharacterClass::kSpace);
  is(0x85, CharacterClass::kSpace);
  is(0x200B, CharacterClass::kControl);
  is(0xFEFF, CharacterClass::kControl);
  is(0xD800, CharacterClass::kControl);
  EXPECT_TRUE(is_word_character(0x24B6));  // A in a circle
  EXPECT_TRUE(is_word_character(0x200D));
  EXPECT_FALSE(is_word_character(0xBD));
  EXPECT_FALSE(is_word_character(0x200B));
}

TEST(UnicodeTest, LowersCharactersOneByOne) {
  EXPECT_EQ(lower_case("\u00C9\u0130\u03A3 \u1E9E\u01C5\U00010400!"),
            "\u00E9i\u0307\u03C3 \u00DF\u01C6\U00010428!");
}

TEST(UnicodeTest, ReplacesWhatIsNoUtf8) {
  const auto valid = [](std::string_view text) {
    std::string result;
    append_valid_utf8(text, result);
    return result;
  };
  // The example of Unicode 3.9, table 3-11.
  EXPECT_EQ(valid("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  // Longer than needed, a surrogate, above the last: each byte on its own.
  EXPECT_EQ(valid("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(valid("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(valid("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(valid("\xF0\x9F\x98"), "\uFFFD");
  EXPECT_EQ(valid("\xF0\x9F\x98\x80"), "\U0001F600");
  EXPECT_EQ(valid_utf8_size("12345678\xE4\xBD\xA0 \xFF"), 12);
}

}  // namespace
}  // namespace catena::datasets
