#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/quote.h"
#include "catena/array/core/utf32.h"

namespace catena::array {
namespace {

TEST(Utf32Test, GoesThereAndBackForEveryLength) {
  const std::u32string points = {U'\0',      U'\x7f',    U'\x80',   U'\x7ff',
                                 U'\x800',   U'\xd7ff',  U'\xe000', U'\xffff',
                                 U'\x10000', U'\x10ffff'};
  const auto utf8 = utf8_from_utf32(points);
  ASSERT_TRUE(utf8.has_value());
  EXPECT_EQ(utf8->size(), 1u + 1 + 2 + 2 + 3 + 3 + 3 + 3 + 4 + 4);
  EXPECT_EQ(utf32_from_utf8(*utf8), points);
  EXPECT_EQ(utf8_from_utf32(U"\u00e9\u20ac\U0001f600"),
            "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(Utf32Test, RejectsWhatIsNoCharacter) {
  EXPECT_FALSE(utf8_from_utf32(std::u32string(1, char32_t{0xd800})));
  EXPECT_FALSE(utf8_from_utf32(std::u32string(1, char32_t{0x110000})));
}

TEST(Utf32Test, RejectsBrokenUtf8) {
  for (const char* text : {
           "\x80",              // a continuation first
           "\xc3",              // breaks off
           "\xc3(",             // no continuation
           "\xc0\xaf",          // overlong
           "\xe0\x80\xaf",      // overlong
           "\xed\xa0\x80",      // a surrogate
           "\xf4\x90\x80\x80",  // above U+10FFFF
           "\xff",
       }) {
    EXPECT_FALSE(utf32_from_utf8(text)) << quote(text);
  }
}

TEST(QuoteTest, ShowsTextAndEscapesTheRest) {
  EXPECT_EQ(quote("l1/W"), "'l1/W'");
  EXPECT_EQ(quote("\xc3\xa9"), "'\xc3\xa9'");
  EXPECT_EQ(quote("a\n\x1b[0m\x7f"), "'a\\x0a\\x1b[0m\\x7f'");
  EXPECT_EQ(quote("\x93NUMPY"), "'\\x93NUMPY'");
}

TEST(QuoteTest, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(quote(std::string(300, 'a')), "'" + std::string(200, 'a') + "...'");
  std::string text(199, 'a');
  text += "\xe2\x82\xac";
  EXPECT_EQ(quote(text), "'" + std::string(199, 'a') + "...'");
}

TEST(QuoteTest, KeepsNamesOfFilesWhole) {
  EXPECT_EQ(quote_path(std::string(300, 'a') + "\n"),
            "'" + std::string(300, 'a') + "\\x0a'");
}

}  // namespace
}  // namespace catena::array
