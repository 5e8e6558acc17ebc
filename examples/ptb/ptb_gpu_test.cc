// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using PtbGpuTest = GpuRunsTest;

// 100 words, 50 in a step.
TEST_F(PtbGpuTest, TrainsAndWrites) {
  run("ptb/train_ptb",
      {"--device=cuda:0", "--test", "--batchsize=5", "--bproplen=10",
       "--epoch=2", "--unit=8", "--out=" + file("result")});
  run("ptb/gentxt", {"--device=cuda:0", "--model=" + file("result/model.npz"),
                     "--unit=8", "--length=5"});
}

}  // namespace
}  // namespace catena::examples
