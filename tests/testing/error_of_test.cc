#include "catena/tests/testing/error_of.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

TEST(ErrorOfTest, GivesTheMessageOfTheErrorOrOfOneDerivedFromIt) {
  const auto call = [] { throw ShapeError("2 is not 3"); };
  EXPECT_EQ(error_of<ShapeError>(call), "2 is not 3");
  EXPECT_EQ(error_of<Error>(call), "2 is not 3");
}

TEST(ErrorOfTest, NoExceptionFailsTheTest) {
  EXPECT_NONFATAL_FAILURE(EXPECT_EQ(error_of<ShapeError>([] { return 1; }), ""),
                          "expected a catena::ShapeError, got no exception");
}

TEST(ErrorOfTest, AnotherExceptionFailsTheTest) {
  EXPECT_NONFATAL_FAILURE(
      EXPECT_EQ(error_of<ShapeError>([] { throw std::runtime_error("late"); }),
                ""),
      "expected a catena::ShapeError, got a std::runtime_error: late");
}

TEST(ErrorOfTest, FailuresAreThoseOfTheCaller) {
  ::testing::TestPartResultArray results;
  int line = 0;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    line = __LINE__ + 1;
    error_of<ShapeError>([] {});
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_EQ(results.GetTestPartResult(0).line_number(), line);
}

}  // namespace
}  // namespace catena::testing
