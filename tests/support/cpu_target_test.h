#pragma once

#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/kernels/kernel_slot.h"

// Fixtures that run a case with the kernels of each instruction set:
//
//   class LoopTest : public CpuTargetTest {};
//   TEST_P(LoopTest, Adds) { ... }
//   INSTANTIATE_TEST_SUITE_P(All, LoopTest, every_cpu_target(),
//                            cpu_target_name);
//
// Cases are skipped if the machine lacks the instruction set.
namespace catena::testing {

// For fixtures with more parameters: call enter() in SetUp.
class CpuTargetGuardedTest : public ::testing::Test {
 protected:
  void enter(KernelTarget target) {
    try {
      set_cpu_kernel_target(target);
    } catch (const ValueError&) {
      GTEST_SKIP() << "this machine lacks " << kernel_target_name(target);
    }
  }
  void TearDown() override { set_cpu_kernel_target(before_); }

 private:
  KernelTarget before_ = cpu_kernel_target();
};

class CpuTargetTest : public CpuTargetGuardedTest,
                      public ::testing::WithParamInterface<KernelTarget> {
 protected:
  void SetUp() override { enter(GetParam()); }
};

inline auto every_cpu_target() {
  return ::testing::ValuesIn(cpu_kernel_targets());
}

inline std::string cpu_target_name(
    const ::testing::TestParamInfo<KernelTarget>& info) {
  return std::string(kernel_target_name(info.param));
}

}  // namespace catena::testing
