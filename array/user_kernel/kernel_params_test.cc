#include "catena/array/user_kernel/kernel_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KernelParam letter(char type, std::string name, bool raw = false) {
  return {.name = std::move(name), .raw = raw, .letter = type};
}

KernelParam typed(Dtype dtype, std::string name, bool raw = false) {
  return {.name = std::move(name), .raw = raw, .dtype = dtype};
}

std::vector<KernelParam> parse(std::string_view text) {
  return parse_kernel_params(text, "k", "in_params");
}

auto rejects(std::string_view text, const std::string& message) {
  EXPECT_THAT(error_of<ValueError>([&] { parse(text); }), HasSubstr(message))
      << text;
}

TEST(KernelParamsTest, ReadsTypesLettersAndRaw) {
  EXPECT_THAT(parse("float32 x, T y, raw S z1,raw int64 index"),
              ElementsAre(typed(Dtype::kFloat32, "x"), letter('T', "y"),
                          letter('S', "z1", true),
                          typed(Dtype::kInt64, "index", true)));
}

TEST(KernelParamsTest, TakesAnyWhiteSpaceAndNone) {
  EXPECT_THAT(parse("\n\t T  x ,\r\n U\ty "),
              ElementsAre(letter('T', "x"), letter('U', "y")));
  EXPECT_THAT(parse(""), IsEmpty());
  EXPECT_THAT(parse(" \n"), IsEmpty());
}

TEST(KernelParamsTest, TakesShortCodesAndBfloat16) {
  EXPECT_THAT(
      parse("f4 x, bfloat16 y"),
      ElementsAre(typed(Dtype::kFloat32, "x"), typed(Dtype::kBFloat16, "y")));
}

TEST(KernelParamsTest, QuotesWhatItRejects) {
  rejects("T", "k: in_params: expected a type and a name, got 'T'");
  rejects("T x, ", "expected a type and a name, got ' '");
  rejects(",", "expected a type and a name, got ''");
  rejects("const T x",
          "expected only 'raw' before a type and a name, got "
          "'const T x'");
  rejects("T x y", "expected only 'raw'");
  rejects("T 2x", "expected a name of letters, digits and underscores");
  rejects("T x[]", "expected a name of letters");
  rejects("float31 x", "expected the name of a dtype or one letter");
  rejects("3 x", "expected a placeholder that is a letter other than i and n");
  rejects("n x", "expected a placeholder that is a letter");
  rejects("T x, S x", "got 'x' twice");
}

TEST(KernelParamsTest, RejectsReservedNames) {
  for (const char* text : {"T i", "T n", "T _x"}) {
    rejects(text, "since i, n and a leading underscore are reserved");
  }
}

TEST(KernelParamsTest, InputsAndOutputsMustDiffer) {
  EXPECT_THAT(error_of<ValueError>(
                  [] { check_distinct(parse("T x"), parse("T x"), "k"); }),
              HasSubstr("got 'x' in both in_params and out_params"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { check_distinct(parse("T x"), parse("S T"), "k"); }),
              HasSubstr("got 'T' as both"));
  EXPECT_NO_THROW(check_distinct(parse("T x"), parse("T y"), "k"));
}

TEST(KernelParamsTest, TextParsesToTheSame) {
  const auto params = parse("raw raw T x,bool y , raw uint8 z");
  EXPECT_EQ(to_string(params), "raw T x, bool y, raw uint8 z");
  EXPECT_EQ(parse(to_string(params)), params);
}

}  // namespace
}  // namespace catena::array
