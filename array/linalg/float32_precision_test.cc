#include "catena/array/linalg/float32_precision.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

TEST(Float32PrecisionTest, IsExactUntilItIsSet) {
  EXPECT_EQ(get_float32_precision(), Float32Precision::kExact);
  {
    const Float32PrecisionScope scope(Float32Precision::kTf32);
    EXPECT_EQ(get_float32_precision(), Float32Precision::kTf32);
  }
  EXPECT_EQ(get_float32_precision(), Float32Precision::kExact);
}

TEST(Float32PrecisionTest, PrintsItsName) {
  std::ostringstream os;
  os << Float32Precision::kExact << ' ' << Float32Precision::kTf32;
  EXPECT_EQ(os.str(), "exact tf32");
}

// Death tests, since the environment is read once for each process.
TEST(Float32PrecisionDeathTest, ComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exit_with_setting = [](const char* value) {
    setenv("CATENA_FLOAT32", value, 1);
    std::exit(get_float32_precision() == Float32Precision::kTf32 ? 1 : 0);
  };
  EXPECT_EXIT(exit_with_setting("tf32"), ::testing::ExitedWithCode(1), "");
  EXPECT_EXIT(exit_with_setting("exact"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("CATENA_FLOAT32", "fast", 1);
        try {
          get_float32_precision();
        } catch (const ValueError& error) {
          std::fputs(error.what(), stderr);
          std::exit(2);
        }
      },
      ::testing::ExitedWithCode(2),
      "CATENA_FLOAT32: expected exact or tf32, got 'fast'");
}

}  // namespace
}  // namespace catena::array
