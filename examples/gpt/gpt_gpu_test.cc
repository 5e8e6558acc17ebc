// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using GptGpuTest = GpuRunsTest;

TEST_F(GptGpuTest, TrainsAndWrites) {
  run("gpt/train_char",
      {"--device=cuda:0", "--layers=1", "--heads=2", "--units=16",
       "--context=16", "--batchsize=2", "--iteration=2", "--interval=2",
       "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples
