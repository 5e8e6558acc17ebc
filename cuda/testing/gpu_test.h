#pragma once

#include <gtest/gtest.h>

#include "catena/cuda/device.h"
#include "catena/tests/testing/gpu_limit.h"

namespace catena::cuda {

// A fixture for tests that need a GPU, device 0; skipped if there is none, or
// CHAINER_TEST_GPU_LIMIT is 0.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::gpus_for_tests(device_count()) < 1) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

// A fixture for tests that need several GPUs.
template <int count>
class MultiGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const int found = testing::gpus_for_tests(device_count());
    if (found < count) {
      GTEST_SKIP() << "needs " << count << " CUDA devices, found " << found;
    }
  }
};

}  // namespace catena::cuda
