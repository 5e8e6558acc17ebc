#pragma once

#include <gtest/gtest.h>

#include "catena/cuda/device.h"

namespace catena::cuda {

// A fixture for cases that need a GPU, device 0; they skip where there is none.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "no CUDA device";
  }
};

}  // namespace catena::cuda
