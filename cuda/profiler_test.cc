#include "catena/cuda/profiler.h"

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include "catena/cuda/testing/gpu_test.h"

namespace catena::cuda {
namespace {

class ProfilerTest : public GpuTest {};

TEST_F(ProfilerTest, StartsAndStops) {
  EXPECT_NO_THROW(profiler::start());
  EXPECT_NO_THROW(profiler::stop());
  EXPECT_NO_THROW(Profile());
}

TEST(ProfileRangeTest, RangesNestAndEnd) {
  // Without a profiler the depth is a negative constant for each of them.
  const int before = nvtxRangePushA("probe");
  nvtxRangePop();
  {
    const ProfileRange outer("outer");
    const ProfileRange inner(std::string("inner"));
  }
  EXPECT_EQ(nvtxRangePushA("probe"), before);
  nvtxRangePop();
}

}  // namespace
}  // namespace catena::cuda
