// Counts the launches of whole training steps, of the benchmarks' networks at
// small sizes: on a GPU, small networks take as long as their launches.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "catena/array/core/device.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/tests/benchmarks/cases.h"

namespace catena {
namespace {

// Our own kernels in the fourth step; products, which are cuBLAS's, are not
// among them. Convolutions are cuDNN's on a GPU, hence no network has any.
const std::map<std::string, int64_t> kLaunches = {
    {"gpt2_train", 58},         // two layers
    {"lstm_train", 101},        // two layers, three words
    {"mlp_train", 10},          // three layers, Adam
    {"small_mlp_train", 10},    // three layers, SGD
    {"transformer_train", 55},  // two layers
    {"word2vec_train", 44},
};

TEST(StepLaunchesTest, TrainingStepsLaunchNoMoreKernelsThanTheyDid) {
  const DeviceScope gpu(cuda_device(0));
  size_t seen = 0;
  for (const benchmarks::Case& measured : benchmarks::cases()) {
    const auto found = kLaunches.find(measured.name);
    if (found == kLaunches.end()) continue;
    const benchmarks::Work work = measured.prepare({.small = true});
    for (int i = 0; i < 3; ++i) work.step();
    const int64_t before = cuda::emulation::launches();
    work.step();
    EXPECT_EQ(cuda::emulation::launches() - before, found->second)
        << measured.name;
    ++seen;
  }
  EXPECT_EQ(seen, kLaunches.size());
}

}  // namespace
}  // namespace catena
