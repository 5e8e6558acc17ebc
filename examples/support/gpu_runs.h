#pragma once

#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {

// Base of tests that run the examples on GPUs for a few steps, or on other
// devices of the host; see gpu_runs_test in example.bzl. Skipped without
// a GPU.
class GpuRunsTest : public ::testing::Test {
 protected:
  using Arguments = testing::Program::Arguments;

  void SetUp() override {
    if (!has_gpus(1)) GTEST_SKIP() << "cuda:0 is not there";
  }

  // Whether cuda:0 and cuda:1 stand for native:1 and native:2.
  static bool is_on_host();

  // Whether there are so many GPUs, or native devices that stand for them.
  static bool has_gpus(int count);

  // Runs an example, "mnist/train_mnist", with arguments that name the GPU, and
  // returns what it prints. It must end without errors and warnings, within a
  // minute of computing time; and where there are no GPUs, with one line that
  // says so.
  std::string run(const std::string& example, const Arguments& arguments,
                  const std::string& input = "") const;

  // A file in the test's folder.
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  testing::TempFolder folder_;
};

}  // namespace catena::examples
