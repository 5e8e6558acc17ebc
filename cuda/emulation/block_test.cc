#include "catena/cuda/emulation/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "catena/cuda/emulation/device_code.h"

namespace catena::cuda::emulation {
namespace {

using ::testing::HasSubstr;

TEST(BlockTest, RunsEachThreadOfEachBlockOnce) {
  std::vector<int> runs(3 * 2 * 4 * 5);
  EXPECT_EQ(
      run_grid(dim3(3, 2), dim3(4, 5),
               [&] {
                 const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
                 const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
                 ++runs[block * 20 + thread];
               }),
      "");
  EXPECT_EQ(runs, std::vector<int>(runs.size(), 1));
}

TEST(BlockTest, SyncthreadsOrdersWhatThreadsDo) {
  constexpr int kThreads = 96;
  std::vector<int> sums(2 * kThreads);
  EXPECT_EQ(run_grid(dim3(2), dim3(kThreads),
                     [&] {
                       __shared__ int values[kThreads];
                       for (int round = 0; round < 3; ++round) {
                         values[threadIdx.x] =
                             static_cast<int>(threadIdx.x) + round;
                         __syncthreads();
                         sums[blockIdx.x * kThreads + threadIdx.x] =
                             std::accumulate(values, values + kThreads, 0);
                         __syncthreads();
                       }
                     }),
            "");
  EXPECT_EQ(sums, std::vector<int>(sums.size(), 95 * 96 / 2 + 2 * 96));
}

TEST(BlockTest, ShufflesExchangeWithinAWarp) {
  std::vector<int> down(64);
  std::vector<double> sums(64);
  EXPECT_EQ(run_grid(dim3(1), dim3(64),
                     [&] {
                       const int own = static_cast<int>(threadIdx.x);
                       down[threadIdx.x] = __shfl_down_sync(~0u, own, 5);
                       double sum = own;
                       for (int step = 16; step > 0; step /= 2) {
                         sum += __shfl_xor_sync(~0u, sum, step);
                       }
                       sums[threadIdx.x] = sum;
                     }),
            "");
  EXPECT_EQ(down[3], 8);
  EXPECT_EQ(down[26], 31);
  EXPECT_EQ(down[27], 27);  // past the end of its warp
  EXPECT_EQ(down[32], 37);
  EXPECT_EQ(sums[0], 31 * 32 / 2);
  EXPECT_EQ(sums[63], 31 * 32 / 2 + 32 * 32);
}

TEST(BlockTest, LanesOfDifferentMasksDoNotWaitForEachOther) {
  std::vector<int> sums(64);
  EXPECT_EQ(run_grid(dim3(1), dim3(64),
                     [&] {
                       const int own = static_cast<int>(threadIdx.x);
                       const int row = own % 8;
                       if (row == 3) return;  // with all lanes of its mask
                       int sum = own;
                       for (const int step : {8, 16}) {
                         sum += __shfl_xor_sync(0x01010101U << row, sum, step);
                       }
                       sums[threadIdx.x] = sum;
                     }),
            "");
  for (int i = 0; i < 64; ++i) {
    const int first = i / 32 * 32 + i % 8;
    EXPECT_EQ(sums[static_cast<size_t>(i)],
              i % 8 == 3 ? 0 : 4 * first + 8 + 16 + 24);
  }
}

TEST(BlockTest, NamesThreadsThatMissABarrier) {
  EXPECT_THAT(run_grid(dim3(2), dim3(32),
                       [] {
                         if (threadIdx.x != 7) __syncthreads();
                       }),
              HasSubstr("thread 0 waits at __syncthreads, but thread 7 has "
                        "ended"));
  EXPECT_THAT(run_grid(dim3(1), dim3(32),
                       [] {
                         if (threadIdx.x < 16) {
                           __syncthreads();
                         } else {
                           __syncwarp();
                         }
                       }),
              HasSubstr("thread 0 waits at __syncthreads, but thread 16 waits "
                        "for its warp"));
  // Later blocks are not affected.
  EXPECT_EQ(run_grid(dim3(1), dim3(64), [] { __syncthreads(); }), "");
}

TEST(BlockTest, AtomicsReturnTheOldValue) {
  int sum = 0;
  int most = 0;
  std::vector<bool> taken(100);
  EXPECT_EQ(run_grid(dim3(1), dim3(100),
                     [&] {
                       taken[static_cast<size_t>(atomicAdd(&sum, 1))] = true;
                       atomicMax(&most, static_cast<int>(threadIdx.x));
                     }),
            "");
  EXPECT_EQ(sum, 100);
  EXPECT_EQ(most, 99);
  EXPECT_EQ(taken, std::vector<bool>(100, true));
}

}  // namespace
}  // namespace catena::cuda::emulation
