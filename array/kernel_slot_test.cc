#include "catena/array/kernel_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/error.h"

namespace catena {
namespace {

using ::testing::ThrowsMessage;

using NumberKernel = int();
int baseline() { return 0; }
int avx2() { return 1; }
int avx512() { return 2; }
int gpu() { return 3; }

class KernelSlotTest : public ::testing::Test {
 protected:
  void TearDown() override { set_cpu_kernel_target(before_); }

  KernelSlot<NumberKernel> slot_ = {
      "frobnicate", {baseline, avx2, avx512, nullptr}, "//some:target"};

 private:
  KernelTarget before_ = cpu_kernel_target();
};

TEST_F(KernelSlotTest, NativeDevicesGetTheKernelOfTheTargetInUse) {
  set_cpu_kernel_target(KernelTarget::kCpuBaseline);
  EXPECT_EQ(slot_.on(native_device())(), 0);
  EXPECT_EQ(slot_.on(native_device(5))(), 0);
}

TEST_F(KernelSlotTest, EveryTargetTheMachineHasCanBeChosen) {
  for (int i = 0; i < 3; ++i) {
    const auto target = static_cast<KernelTarget>(i);
    try {
      set_cpu_kernel_target(target);
    } catch (const ValueError&) {
      continue;  // an older machine
    }
    EXPECT_EQ(cpu_kernel_target(), target);
    EXPECT_EQ(slot_.on(native_device())(), i);
  }
}

TEST_F(KernelSlotTest, ATargetTheMachineLacksIsRefused) {
  EXPECT_THAT([] { set_cpu_kernel_target(KernelTarget::kCuda); },
              ThrowsMessage<ValueError>(
                  "set_cpu_kernel_target: this machine lacks cuda"));
}

TEST_F(KernelSlotTest, AMissingCudaKernelNamesOperationDeviceAndTarget) {
  EXPECT_THAT([this] { slot_.on(cuda_device(1)); },
              ThrowsMessage<NotImplementedError>(
                  "frobnicate: no kernel for cuda:1 is linked; build with "
                  "--config=cuda and add //some:target to deps"));
}

TEST_F(KernelSlotTest, AnInstalledCudaKernelIsUsed) {
  slot_.set_cuda(gpu);
  EXPECT_EQ(slot_.on(cuda_device())(), 3);
}

TEST_F(KernelSlotTest, TargetsHaveNames) {
  EXPECT_EQ(kernel_target_name(KernelTarget::kCpuBaseline), "baseline");
  EXPECT_EQ(kernel_target_name(KernelTarget::kCpuAvx512), "avx512");
}

TEST(DtypeTableTest, HoldsAKernelForEachDtypeThatWasSet) {
  DtypeTable<NumberKernel> table;
  table.set(Dtype::kInt8, avx2);
  EXPECT_EQ(table[Dtype::kInt8](), 1);
  EXPECT_EQ(table[Dtype::kFloat32], nullptr);
}

}  // namespace
}  // namespace catena
