#include "catena/array/kernels/kernel_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

using NumberKernel = int();
int three() { return 3; }

class KernelSlotTest : public ::testing::Test {
 protected:
  KernelSlotTest() {
    for (size_t i = 0; i < cpu_kernel_targets().size(); ++i) {
      slot_.kernels[i] = &numbers_[i];
    }
  }
  void TearDown() override { set_cpu_kernel_target(before_); }

  static constexpr int kCuda = 100;

  std::array<int, 8> numbers_ = {0, 1, 2, 3, 4, 5, 6, 7};
  KernelSlot<int> slot_ = {"frobnicate", {}};

 private:
  KernelTarget before_ = cpu_kernel_target();
};

TEST_F(KernelSlotTest, NativeDevicesGetTheKernelOfTheTargetInUse) {
  set_cpu_kernel_target(KernelTarget::kCpuBaseline);
  EXPECT_EQ(slot_.on(native_device()), 0);
  EXPECT_EQ(slot_.on(native_device(5)), 0);
}

TEST_F(KernelSlotTest, EveryTargetTheMachineHasCanBeChosen) {
  for (const KernelTarget target : cpu_kernel_targets()) {
    try {
      set_cpu_kernel_target(target);
    } catch (const ValueError&) {
      continue;  // an older machine
    }
    EXPECT_EQ(cpu_kernel_target(), target);
    EXPECT_EQ(slot_.on(native_device()), static_cast<int>(target));
  }
}

TEST_F(KernelSlotTest, ATargetTheMachineLacksIsRefused) {
  EXPECT_THAT(
      error_of<ValueError>([] { set_cpu_kernel_target(KernelTarget::kCuda); }),
      "set_cpu_kernel_target: this machine lacks cuda");
}

TEST_F(KernelSlotTest, AMissingCudaKernelNamesOperationAndDevice) {
  EXPECT_THAT(
      error_of<NotImplementedError>([this] { slot_.on(cuda_device(1)); }),
      "frobnicate: no kernel for cuda:1 is linked; build with "
      "--config=cuda");
}

TEST_F(KernelSlotTest, AnInstalledCudaKernelIsUsed) {
  slot_.set_cuda(&kCuda);
  EXPECT_EQ(slot_.on(cuda_device()), kCuda);
}

TEST_F(KernelSlotTest, TargetsHaveNames) {
  EXPECT_EQ(kernel_target_name(KernelTarget::kCpuBaseline), "baseline");
  EXPECT_EQ(kernel_target_name(KernelTarget::kCuda), "cuda");
}

TEST(KernelTargetTest, FlagsAreThoseOfTheTarget) {
  EXPECT_EQ(kernel_target_flags(KernelTarget::kCpuBaseline), "");
  for (const KernelTarget target : cpu_kernel_targets().subspan(1)) {
    EXPECT_THAT(std::string(kernel_target_flags(target)),
                HasSubstr(str("-m", kernel_target_name(target))));
  }
}

TEST(DtypeTableTest, HoldsAKernelForEachDtypeThatWasSet) {
  DtypeTable<NumberKernel> table;
  table.set(Dtype::kInt8, three);
  EXPECT_EQ(table[Dtype::kInt8](), 3);
  EXPECT_EQ(table[Dtype::kFloat32], nullptr);
}

}  // namespace
}  // namespace catena
