// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using ImagenetGpuTest = GpuRunsTest;

TEST_F(ImagenetGpuTest, TrainsOnOneGpu) {
  run("imagenet/train_imagenet",
      {"--device=cuda:0", "--shapes=16", "--insize=40", "--batchsize=8",
       "--val_batchsize=4", "--epoch=2", "--data_dir=" + file(""),
       "--out=" + file("one")});
}

TEST_F(ImagenetGpuTest, TrainsOnTwoGpus) {
  if (!has_gpus(2)) GTEST_SKIP() << "needs two GPUs";
  run("imagenet/train_imagenet_data_parallel",
      {"--devices=cuda:0,cuda:1", "--shapes=16", "--insize=40", "--batchsize=4",
       "--val_batchsize=4", "--epoch=2", "--data_dir=" + file(""),
       "--out=" + file("two")});
}

}  // namespace
}  // namespace catena::examples
