#include "catena/cuda/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "catena/array/error.h"

namespace catena::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(LaunchTest, AGridHasFewerThan2To31Blocks) {
  for (const int64_t blocks : {int64_t{1} << 31, (int64_t{1} << 32) + 1}) {
    EXPECT_THAT([&] { launch(nullptr, blocks, 256, nullptr, 0); },
                ThrowsMessage<ShapeError>(
                    HasSubstr("expected at most 2147483647 blocks")));
  }
}

}  // namespace
}  // namespace catena::cuda
