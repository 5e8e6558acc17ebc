#pragma once

#include <gtest/gtest.h>

#include "catena/cuda/device.h"

namespace catena::cuda {

// A fixture for tests that need a GPU, device 0; skipped if there is none.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "no CUDA device";
  }
};

// A fixture for tests that need several GPUs.
template <int count>
class MultiGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_count() < count) {
      GTEST_SKIP() << "needs " << count << " CUDA devices, found "
                   << device_count();
    }
  }
};

}  // namespace catena::cuda
