// Blocks of a pool share an allocation, so protected pages say nothing about
// them; AddressSanitizer does.

#include <gtest/gtest.h>

#include "catena/cuda/device_memory.h"
#include "catena/cuda/emulation/device_code.h"
#include "catena/cuda/launch.h"

namespace catena::cuda {
namespace {

__global__ void write(char* data) { data[threadIdx.x] = 1; }

void write_bytes(void* data, int bytes) {
  launch(write, 1, bytes, 0, static_cast<char*>(data));
  cudaDeviceSynchronize();
}

class PoolBoundsDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "needs --config=asan";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(PoolBoundsDeathTest, WritesBehindABlockAreFound) {
  const Memory block(100, 0);
  write_bytes(block.ptr(), 100);
  EXPECT_DEATH(write_bytes(block.ptr(), 101), "use-after-poison");
}

TEST_F(PoolBoundsDeathTest, WritesAfterTheEndOfABlockAreFound) {
  void* data = nullptr;
  {
    const Memory block(100, 0);
    data = block.ptr();
    // Before the block is freed, in the order of the stream.
    launch(write, 1, 100, 0, static_cast<char*>(data));
  }
  cudaDeviceSynchronize();
  EXPECT_DEATH(write_bytes(data, 1), "use-after-poison");
}

}  // namespace
}  // namespace catena::cuda
