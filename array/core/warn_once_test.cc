#include "catena/array/core/warn_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(WarnOnceTest, WarnsOnceForEachKey) {
  int texts = 0;
  const auto warn = [&](const char* key) {
    warn_once(key, [&] { return "number " + std::to_string(++texts); });
  };
  ::testing::internal::CaptureStderr();
  warn("a");
  warn("a");
  warn("b");
  warn("a");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: number 1\nwarning: number 2\n");
  EXPECT_EQ(texts, 2);
}

}  // namespace
}  // namespace catena
