#include "catena/autograd/experimental.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(ExperimentalTest, WarnsOncePerName) {
  ::testing::internal::CaptureStderr();
  experimental("catena::shiny");
  experimental("catena::shiny");
  experimental("catena::new");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: catena::shiny is experimental: its interface may "
            "change\nwarning: catena::new is experimental: its interface may "
            "change\n");
}

TEST(ExperimentalTest, CanBeSilenced) {
  disable_experimental_warning();
  ::testing::internal::CaptureStderr();
  experimental("catena::silent");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  disable_experimental_warning(false);
  ::testing::internal::CaptureStderr();
  experimental("catena::silent");
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace catena
