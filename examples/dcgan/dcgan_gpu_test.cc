// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using DcganGpuTest = GpuRunsTest;

// It ends before the first line of its log.
TEST_F(DcganGpuTest, Trains) {
  run("dcgan/train_dcgan", {"--device=cuda:0", "--batchsize=719", "--epoch=2",
                            "--ch=8", "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples
