// Runs the program on emulated GPUs.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using GlanceGpuTest = GpuRunsTest;

TEST_F(GlanceGpuTest, Trains) {
  // Not the user's own files.
  setenv("CATENA_DATASET_ROOT", file("sets").c_str(), 1);
  run("glance/glance", {"--device=cuda:0", "--batchsize=199", "--epoch=2",
                        "--unit=8", "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples
