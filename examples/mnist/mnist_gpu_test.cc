// Runs the programs on emulated GPUs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"
#include "catena/tests/support/runfiles.h"
#include "catena/training/communicators/testing/mpirun.h"

namespace catena::examples {
namespace {

using MnistGpuTest = GpuRunsTest;

TEST_F(MnistGpuTest, OneGpu) {
  for (const std::string name :
       {"train_mnist", "train_mnist_cnn", "train_mnist_custom_loop"}) {
    run("mnist/" + name, {"--device=cuda:0", "--batchsize=719", "--epoch=2",
                          "--unit=10", "--out=" + file(name)});
  }
}

TEST_F(MnistGpuTest, TwoGpus) {
  if (!has_gpus(2)) GTEST_SKIP() << "needs two GPUs";
  for (const std::string name :
       {"train_mnist_data_parallel", "train_mnist_model_parallel"}) {
    run("mnist/" + name,
        {"--device0=cuda:0", "--device1=cuda:1", "--batchsize=719", "--epoch=2",
         "--unit=10", "--out=" + file(name)});
  }
}

// Two processes, each with a GPU.
TEST_F(MnistGpuTest, TwoProcesses) {
  if (is_on_host()) GTEST_SKIP() << "NCCL needs GPUs";
  if (!has_gpus(2)) GTEST_SKIP() << "needs two GPUs";
  const auto result = training::communicators::testing::mpirun(
      2, testing::runfile("examples/mnist/train_mnist_data_parallel_mpi"),
      {"--device=cuda:0", "--communicator=nccl", "--batchsize=360", "--epoch=2",
       "--unit=10", "--out=" + file("result")});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, ::testing::Not(::testing::HasSubstr("warning")));
}

}  // namespace
}  // namespace catena::examples
