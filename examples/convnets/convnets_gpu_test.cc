// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/dataset/testing/idx_files.h"
#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using ConvnetsGpuTest = GpuRunsTest;

TEST_F(ConvnetsGpuTest, EachNetworkTrains) {
  testing::write_mnist_part(file(""), "train", 40);
  testing::write_mnist_part(file(""), "t10k", 10);
  for (const std::string arch : {"lenet5", "vgg16", "resnet152"}) {
    run("convnets/train_convnet",
        {"--device=cuda:0", "--dataset=mnist", "--data_dir=" + file(""),
         "--batchsize=20", "--epoch=2", "--arch=" + arch, "--width=1",
         "--unit=8", "--out=" + file(arch)});
  }
}

}  // namespace
}  // namespace catena::examples
