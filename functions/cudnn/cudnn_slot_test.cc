#include "catena/functions/cudnn/cudnn_slot.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "catena/autograd/config.h"

namespace catena::functions {
namespace {

TEST(CudnnSlotTest, CallsWhatItIsFilledWithOnCudaAlone) {
  CudnnSlot<int(int)> slot;
  EXPECT_EQ(slot(cuda_device(), 3), 0);
  ASSERT_TRUE(slot.fill([](int x) { return x + 1; }));
  EXPECT_EQ(slot(cuda_device(), 3), 4);
  EXPECT_EQ(slot(native_device(), 3), 0);
  const auto scope = using_config(&Config::use_cudnn, Usage::kNever);
  EXPECT_EQ(slot(cuda_device(), 3), 0);
}

TEST(CudnnSlotTest, WhatCudnnDoesNotSupportIsDeclined) {
  CudnnSlot<int(int)> slot;
  slot.fill([](int x) -> int {
    if (x == 0) throw cudnn::NotSupported();
    throw std::runtime_error("broken");
  });
  EXPECT_EQ(slot(cuda_device(), 0), 0);
  EXPECT_THROW(slot(cuda_device(), 1), std::runtime_error);
}

}  // namespace
}  // namespace catena::functions
