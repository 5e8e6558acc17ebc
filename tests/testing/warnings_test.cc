#include "catena/tests/testing/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "catena/array/core/warn_once.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void warn(const std::string& text) {
  warn_once(text, [&] { return text; });
}

TEST(WarningsTest, AreCollectedInOrder) {
  EXPECT_THAT(warnings_of([] {
                warn("the first");
                std::cerr << "not a warning\n";
                warn("the second");
                warn("the first");
              }),
              ElementsAre("the first", "the second"));
  EXPECT_THAT(warnings_of([] {}), IsEmpty());
}

TEST(WarningsTest, OtherTextStaysOnStandardError) {
  std::ostringstream err;
  std::streambuf* const previous = std::cerr.rdbuf(err.rdbuf());
  // Not through std::cerr, which only sees what comes afterwards.
  warnings_of([] { std::fputs("not a warning: \nwarning: one\n", stderr); });
  std::cerr.rdbuf(previous);
  EXPECT_EQ(err.str(), "not a warning: \n");
}

TEST(WarningsTest, ExceptionsGoThrough) {
  EXPECT_THROW(warnings_of([] { throw std::runtime_error("broken"); }),
               std::runtime_error);
  EXPECT_THAT(warnings_of([] { warn("after an exception"); }),
              ElementsAre("after an exception"));
}

TEST(AssertWarnsTest, LooksForAPartOfTheText) {
  assert_warns("is slow", [] {
    warn("something else");
    warn("this is slow here");
  });
}

TEST(AssertWarnsTest, FailsWithoutTheWarning) {
  EXPECT_NONFATAL_FAILURE(assert_warns("unheard of", [] {}),
                          "expected a warning that contains \"unheard of\", "
                          "got none");
  EXPECT_NONFATAL_FAILURE(
      assert_warns("unheard of", [] { warn("this was said"); }),
      "got \n  this was said");
}

}  // namespace
}  // namespace catena::testing
