// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using VaeGpuTest = GpuRunsTest;

TEST_F(VaeGpuTest, Trains) {
  run("vae/train_vae",
      {"--device=cuda:0", "--test", "--batchsize=50", "--epoch=2", "--dimz=4",
       "--unit=8", "--out=" + file("results")});
}

}  // namespace
}  // namespace catena::examples
