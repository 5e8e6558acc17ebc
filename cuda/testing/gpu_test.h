#pragma once

#include <gtest/gtest.h>

namespace catena::cuda {

// The number of GPUs, at most CHAINER_TEST_GPU_LIMIT
// (tests/testing/gpu_limit.h).
int gpus_for_tests();

// A fixture for tests that need a GPU, device 0; skipped if there is none.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpus_for_tests() < 1) GTEST_SKIP() << "no CUDA device";
  }
};

// A fixture for tests that need several GPUs.
template <int count>
class MultiGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpus_for_tests() < count) {
      GTEST_SKIP() << "needs " << count << " CUDA devices, found "
                   << gpus_for_tests();
    }
  }
};

}  // namespace catena::cuda
