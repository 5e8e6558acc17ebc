#include "catena/functions/connection/winograd.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "catena/array/core/error.h"

namespace catena::functions {
namespace {

TEST(WinogradTest, IsOnUntilItIsTurnedOff) {
  EXPECT_TRUE(is_winograd_enabled());
  set_winograd(false);
  EXPECT_FALSE(is_winograd_enabled());
  set_winograd(true);
  EXPECT_TRUE(is_winograd_enabled());
}

// Death tests, since the environment is read once for each process.
TEST(WinogradDeathTest, ComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exit_with_setting = [](const char* value) {
    setenv("CATENA_WINOGRAD", value, 1);
    std::exit(is_winograd_enabled() ? 1 : 0);
  };
  EXPECT_EXIT(exit_with_setting("1"), ::testing::ExitedWithCode(1), "");
  EXPECT_EXIT(exit_with_setting("0"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("CATENA_WINOGRAD", "no", 1);
        try {
          is_winograd_enabled();
        } catch (const ValueError& error) {
          std::fputs(error.what(), stderr);
          std::exit(2);
        }
      },
      ::testing::ExitedWithCode(2),
      "CATENA_WINOGRAD: expected 0 or 1, got 'no'");
}

}  // namespace
}  // namespace catena::functions
