#include "catena/cuda/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/cuda/testing/sample_kernel.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

TEST(LaunchTest, AGridHasFewerThan2To31Blocks) {
  for (const int64_t blocks : {int64_t{1} << 31, (int64_t{1} << 32) + 1}) {
    EXPECT_THAT(
        error_of<ShapeError>([&] { launch(nullptr, blocks, 256, nullptr, 0); }),
        HasSubstr("expected at most 2147483647 blocks"));
  }
}

class ResidentBlocksTest : public GpuTest {};

TEST_F(ResidentBlocksTest, AreThoseOfAllMultiprocessors) {
  const int multiprocessors = properties(0).multiprocessors;
  for (const int threads : {32, 128, 256, 1024}) {
    const int64_t blocks = resident_blocks(sample_kernel(), threads, 0);
    EXPECT_EQ(blocks % multiprocessors, 0);
    EXPECT_GE(blocks, multiprocessors);
    EXPECT_LE(blocks * threads, int64_t{multiprocessors} * 2048);
    EXPECT_EQ(resident_blocks(sample_kernel(), threads, 0), blocks);
  }
  EXPECT_GT(resident_blocks(sample_kernel(), 128, 0),
            resident_blocks(sample_kernel(), 1024, 0));
}

TEST_F(ResidentBlocksTest, OfNoKernelAreAnError) {
  EXPECT_THAT(error_of<CudaError>([] { resident_blocks(nullptr, 256, 0); }),
              HasSubstr("cudaOccupancyMaxActiveBlocksPerMultiprocessor"));
}

}  // namespace
}  // namespace catena::cuda
