// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using CifarGpuTest = GpuRunsTest;

TEST_F(CifarGpuTest, Trains) {
  run("cifar/train_cifar",
      {"--device=cuda:0", "--shapes=64", "--batchsize=32", "--epoch=2",
       "--width=2", "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples
